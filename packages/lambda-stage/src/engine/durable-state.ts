import type { Operation, OperationUpdate } from '@aws/durable-execution-sdk-js';
import { InvalidParameterValueException } from '../net/api-error.ts';

/**
 * The state of one durable execution as the SDK sees it, with every transition. Pure: time and ids are arguments.
 * https://docs.aws.amazon.com/lambda/latest/dg/durable-functions.html
 */
export interface DurableState {
  readonly status: 'running' | 'succeeded' | 'failed' | 'timedOut' | 'stopped';
  /** The operations by id, which the SDK hashes. The first one is the execution itself. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The token of the next checkpoint; it counts checkpoints and invocations. */
  readonly token: number;
  /** When callbacks time out, in milliseconds since the epoch, by the id of their operation. */
  readonly callbackDeadlines: ReadonlyMap<string, number>;
}

/** AWS limits, which the SDK's own local runner does not enforce. */
export const LIMITS = { operationBytes: 262_144, operations: 3_000, inputBytes: 1_048_576 };

const EXECUTION_ID = 'execution';

/** @param input - the payload of the invocation, JSON text */
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

/** Starts an invocation, which makes earlier tokens stale. */
export const resume = (state: DurableState): DurableState => ({ ...state, token: state.token + 1 });

/**
 * Applies the updates of one checkpoint.
 * @throws InvalidParameterValueException when the execution or an operation has ended, or a limit is exceeded
 */
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
    throw new InvalidParameterValueException(`The operation ${Name ?? Id} has already ended`);
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

/** Fires the timers that are due: waits end, attempts become ready, callbacks time out. Returns the same state if none is due. */
export const advance = (state: DurableState, now: number): DurableState => {
  const due = [...state.operations].filter(([, operation]) => (dueAt(state, operation) ?? Infinity) <= now);
  if (due.length === 0) return state;
  const operations = new Map(state.operations);
  for (const [id, operation] of due) operations.set(id, fireTimer(operation, now));
  return { ...state, operations };
};

const fireTimer = (operation: Operation, now: number): Operation => {
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

/** Returns when the next timer is due, in milliseconds since the epoch; null without timers. */
export const nextDueAt = (state: DurableState): number | null => {
  const times = [...state.operations.values()].flatMap((operation) => dueAt(state, operation) ?? []);
  return times.length === 0 ? null : Math.min(...times);
};

/** Answers a callback with JSON text; null when it is unknown, already answered or timed out. */
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

/** Gives a running execution its final status. */
export const finish = (state: DurableState, status: DurableState['status']): DurableState =>
  state.status === 'running' ? { ...state, status } : state;

/** The operations that a replay gets: all except those inside ended contexts. */
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
