import type { Operation, OperationUpdate } from '@aws/durable-execution-sdk-js';

/**
 * The state of one durable execution as AWS's engine keeps it, as far as the SDK can see it, and every way in which it
 * changes. Pure: time and ids come in. https://docs.aws.amazon.com/lambda/latest/dg/durable-functions.html
 */
export interface DurableState {
  readonly status: 'running' | 'succeeded' | 'failed' | 'timedOut' | 'stopped';
  /** By their id. Those that the SDK made have hashed ids. The first one is the execution itself. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Counts the checkpoints: the token that the next one has to show. A resumed execution gets a new one, too. */
  readonly token: number;
  /** Callbacks that time out: when, by operation. Milliseconds since the epoch. */
  readonly callbackDeadlines: ReadonlyMap<string, number>;
}

/** What AWS refuses, and the SDK's own local runner lets pass. */
export const LIMITS = { operationBytes: 262_144, operations: 3_000, inputBytes: 1_048_576 };

/** A refusal as the service answers it: 400, with this type. */
export class InvalidParameterValueException extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidParameterValueException';
  }
}

const EXECUTION_ID = 'execution';

/** @param input the payload that it was started with, JSON text */
export const createDurableState = (input: string, now: number): DurableState => ({
  status: 'running',
  operations: new Map([
    [
      EXECUTION_ID,
      {
        Id: EXECUTION_ID,
        Type: 'EXECUTION',
        Status: 'STARTED',
        StartTimestamp: new Date(now),
        ExecutionDetails: { InputPayload: input },
      },
    ],
  ]),
  token: 1,
  callbackDeadlines: new Map(),
});

/** A process begins or resumes it: tokens that were handed out before are worth nothing from now on. */
export const resume = (state: DurableState): DurableState => ({ ...state, token: state.token + 1 });

/** One checkpoint. @param newCallbackId called for each callback that is created @throws InvalidParameterValueException */
export const applyUpdates = (
  state: DurableState,
  updates: readonly OperationUpdate[],
  now: number,
  newCallbackId: () => string,
): DurableState => {
  if (state.status !== 'running') throw new InvalidParameterValueException('Invalid checkpoint token');
  const operations = new Map(state.operations);
  const callbackDeadlines = new Map(state.callbackDeadlines);
  for (const update of updates) {
    const { Id = '', CallbackOptions: options } = update;
    refuseLarge(update);
    const before = operations.get(Id);
    const operation = applyUpdate(before, update, now);
    if (update.Type === 'CALLBACK' && before === undefined) {
      operation.CallbackDetails = { CallbackId: newCallbackId() };
      if (options?.TimeoutSeconds) callbackDeadlines.set(Id, now + options.TimeoutSeconds * 1_000);
    }
    operations.set(Id, operation);
  }
  if (operations.size - 1 > LIMITS.operations) {
    throw new InvalidParameterValueException(`An execution has at most ${LIMITS.operations} operations`);
  }
  return { ...state, operations, callbackDeadlines, token: state.token + 1 };
};

const refuseLarge = ({ Payload = '', Error: error }: OperationUpdate): void => {
  const bytes =
    Buffer.byteLength(Payload) + Buffer.byteLength(error === undefined ? '' : JSON.stringify(error));
  if (bytes > LIMITS.operationBytes) {
    throw new InvalidParameterValueException(
      `A payload has at most ${LIMITS.operationBytes} bytes, not ${bytes}`,
    );
  }
};

const isOver = ({ Status }: Operation): boolean =>
  Status !== 'STARTED' && Status !== 'PENDING' && Status !== 'READY';

const applyUpdate = (before: Operation | undefined, update: OperationUpdate, now: number): Operation => {
  const { Id, ParentId, Name, Type, SubType, Action, Payload, Error: error } = update;
  if (before !== undefined && isOver(before)) {
    throw new InvalidParameterValueException(`The operation ${Name ?? Id} has ended before`);
  }
  const attempt = before?.StepDetails?.Attempt ?? 0;
  const base: Operation = {
    ...(before ?? { Id, ParentId, Name, Type, SubType, StartTimestamp: new Date(now) }),
    Status: 'STARTED',
  };
  switch (Action) {
    case 'START':
      return Type === 'WAIT'
        ? {
            ...base,
            WaitDetails: {
              ScheduledEndTimestamp: new Date(now + (update.WaitOptions?.WaitSeconds ?? 0) * 1_000),
            },
          }
        : { ...base, ...(Type === 'STEP' ? { StepDetails: { Attempt: attempt } } : {}) };
    case 'RETRY':
      return {
        ...base,
        Status: 'PENDING',
        StepDetails: {
          Attempt: attempt + 1,
          NextAttemptTimestamp: new Date(now + (update.StepOptions?.NextAttemptDelaySeconds ?? 0) * 1_000),
          Error: error,
        },
      };
    default: {
      const details = { Result: Payload, Error: error };
      return {
        ...base,
        Status: Action === 'SUCCEED' ? 'SUCCEEDED' : 'FAILED',
        EndTimestamp: new Date(now),
        ...(Type === 'STEP' ? { StepDetails: { Attempt: attempt + 1, ...details } } : {}),
        ...(Type === 'CONTEXT'
          ? { ContextDetails: { ...details, ReplayChildren: update.ContextOptions?.ReplayChildren } }
          : {}),
      };
    }
  }
};

/** What time alone changes: waits end, attempts become due, callbacks time out. The same state when nothing did. */
export const advance = (state: DurableState, now: number): DurableState => {
  const due = [...state.operations].filter(([, operation]) => (dueAt(state, operation) ?? Infinity) <= now);
  if (due.length === 0) return state;
  const operations = new Map(state.operations);
  for (const [id, operation] of due) operations.set(id, mature(operation, now));
  return { ...state, operations };
};

const mature = (operation: Operation, now: number): Operation => {
  switch (operation.Type) {
    case 'STEP':
      return { ...operation, Status: 'READY' };
    case 'WAIT':
      return { ...operation, Status: 'SUCCEEDED', EndTimestamp: new Date(now) };
    default:
      return { ...operation, Status: 'TIMED_OUT', EndTimestamp: new Date(now) };
  }
};

const dueAt = ({ callbackDeadlines }: DurableState, operation: Operation): number | undefined => {
  if (operation.Type === 'STEP' && operation.Status === 'PENDING')
    return operation.StepDetails?.NextAttemptTimestamp?.getTime();
  if (operation.Status !== 'STARTED') return undefined;
  if (operation.Type === 'WAIT') return operation.WaitDetails?.ScheduledEndTimestamp?.getTime();
  return operation.Type === 'CALLBACK' ? callbackDeadlines.get(operation.Id ?? '') : undefined;
};

/** When `advance` will change something next, milliseconds since the epoch; null when only an answer can. */
export const nextDueAt = (state: DurableState): number | null => {
  const times = [...state.operations.values()].flatMap((operation) => dueAt(state, operation) ?? []);
  return times.length === 0 ? null : Math.min(...times);
};

/** Answers a callback, once: null when it is unknown, was answered or has timed out. @param result JSON text */
export const answerCallback = (
  state: DurableState,
  callbackId: string,
  result: string,
  now: number,
): DurableState | null => {
  const current = advance(state, now);
  const found = [...current.operations.values()].find(
    ({ CallbackDetails }) => CallbackDetails?.CallbackId === callbackId,
  );
  if (current.status !== 'running' || found?.Id === undefined || found.Status !== 'STARTED') return null;
  const answered: Operation = {
    ...found,
    Status: 'SUCCEEDED',
    EndTimestamp: new Date(now),
    CallbackDetails: { CallbackId: callbackId, Result: result },
  };
  return { ...current, operations: new Map(current.operations).set(found.Id, answered) };
};

/** Ends it; what has ended stays as it is. */
export const close = (state: DurableState, status: DurableState['status']): DurableState =>
  state.status === 'running' ? { ...state, status } : state;

/** The operations that a resumed execution is given: those inside of a context that has ended are not among them. */
export const visibleOperations = ({ operations }: DurableState): Operation[] => {
  const hidden = new Set<string>();
  const visible: Operation[] = [];
  for (const [id, operation] of operations) {
    const parent = operations.get(operation.ParentId ?? '');
    const isHidden =
      parent?.Type === 'CONTEXT' &&
      isOver(parent) &&
      (parent.ContextDetails?.ReplayChildren !== true || hidden.has(parent.Id ?? ''));
    if (isHidden) hidden.add(id);
    else visible.push(operation);
  }
  return visible;
};
