import type {
  DurableExecutionClient,
  DurableExecutionInvocationInput,
  DurableExecutionInvocationOutput,
  OperationUpdate,
} from '@aws/durable-execution-sdk-js';
import type { Context } from 'aws-lambda';
import {
  advance,
  answerCallback,
  applyUpdates,
  createDurableState,
  type DurableState,
  nextDueAt,
  resume,
  visibleOperations,
} from 'lambda-stage/engine';
import { InvalidParameterValueException } from 'lambda-stage/net';

export type DurableHandler = (
  event: DurableExecutionInvocationInput,
  context: Context,
) => Promise<DurableExecutionInvocationOutput>;

/** Ends one invocation as a crash does: nothing of it takes effect any more. */
class Crash extends Error {}

export interface DurableRun {
  readonly status: DurableState['status'];
  readonly result: unknown;
  readonly error: unknown;
  readonly invocations: number;
  /** What was checkpointed, in order. */
  readonly updates: readonly OperationUpdate[];
  readonly state: DurableState;
}

/** Decides at each distinguishable point whether the process crashes. */
export interface Saboteur {
  /** Called at each point; true ends the process there. */
  isFatal(): boolean;
}

/** Lambda lets a process live for a second here, so that every wait, however short, is one without a process. */
const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 1_000 } as Context;

/**
 * AWS's engine for durable executions in memory, with its limits and with virtual time. Runs a handler to the end, through
 * crashes, and returns what happened.
 */
export const aDurableEngine = (options: {
  /** @param pass - awaited inside steps: a point at which the process may crash */
  readonly createHandler: (client: DurableExecutionClient, pass: () => Promise<void>) => DurableHandler;
  readonly input?: unknown;
  readonly saboteur?: Saboteur;
  /** Called when the run waits for an answer and nothing else: gives it, or null to let its time pass. */
  readonly answer?: (callbackId: string) => unknown;
  /** True for an update that the engine refuses for good, which fails the execution. */
  readonly refuses?: (update: OperationUpdate) => boolean;
}) => {
  // Far ahead of the machine's clock: the SDK never waits for a time in the process.
  let now = Date.now() + 86_400_000;
  let state = createDurableState(JSON.stringify(options.input ?? {}), now);
  let invocations = 0;
  const updates: OperationUpdate[] = [];
  let callbackCount = 0;

  const invoke = async (): Promise<DurableExecutionInvocationOutput> => {
    invocations++;
    state = resume(advance(state, now));
    let isDead = false;
    const dead = Promise.withResolvers<never>();
    dead.promise.catch(() => {});
    const point = (): void => {
      if (isDead || options.saboteur?.isFatal() !== true) return;
      isDead = true;
      dead.reject(new Crash());
    };
    const pass = async (): Promise<void> => {
      point();
      if (isDead) await new Promise(() => {});
    };
    const client: DurableExecutionClient = {
      getExecutionState: async () => ({ Operations: [] }),
      checkpoint: async ({ CheckpointToken, Updates = [] }) => {
        point();
        if (isDead) return new Promise(() => {});
        if (CheckpointToken !== String(state.token)) throw staleToken();
        if (options.refuses !== undefined && Updates.some(options.refuses)) throw refusal();
        const before = advance(state, now);
        state = applyUpdates(before, Updates, now, () => `callback-${callbackCount++}`);
        updates.push(...Updates);
        const changed = [...state.operations.values()].filter(
          (operation) => before.operations.get(operation.Id ?? '') !== operation,
        );
        point();
        if (isDead) return new Promise(() => {});
        return { CheckpointToken: String(state.token), NewExecutionState: { Operations: changed } };
      },
    };
    const event = {
      DurableExecutionArn: 'arn:aws:lambda:local:0:function:run:1/durable-execution/e/1',
      CheckpointToken: String(state.token),
      InitialExecutionState: { Operations: visibleOperations(state) },
    };
    return Promise.race([options.createHandler(client, pass)(event, context), dead.promise]);
  };

  const run = async (): Promise<DurableRun> => {
    for (;;) {
      const output = await invoke().catch((error: unknown) => {
        if (error instanceof Crash || options.saboteur !== undefined) return null;
        throw error;
      });
      if (invocations > MAX_INVOCATIONS) throw new Error('the execution is resumed again and again');
      if (output === null) continue;
      if (output.Status !== 'PENDING') {
        const { Result, Error: error } = output as { Result?: string; Error?: unknown };
        const status = output.Status === 'SUCCEEDED' ? 'succeeded' : 'failed';
        const result = Result === undefined || Result === '' ? undefined : JSON.parse(Result);
        return { status, result, error, invocations, updates, state };
      }
      passTime();
    }
  };

  /** Until something is due; an answer comes before that. */
  const passTime = (): void => {
    for (const { Type, Status, CallbackDetails } of state.operations.values()) {
      if (Type !== 'CALLBACK' || Status !== 'STARTED' || options.answer === undefined) continue;
      const id = CallbackDetails?.CallbackId ?? '';
      const value = options.answer(id);
      if (value === null) continue;
      state = answerCallback(state, id, JSON.stringify(value), now) ?? state;
      return;
    }
    const due = nextDueAt(state);
    if (due === null) throw new Error('the execution waits for something that never comes');
    now = Math.max(now, due);
  };

  return { run, invoke, now: () => now, state: () => state };
};

/** A run with pending I/O is resumed until that has ended: the more often, the slower the machine. */
const MAX_INVOCATIONS = 5_000;

/** A refusal that no repetition changes. */
const refusal = (): Error =>
  Object.assign(new Error('the engine takes no such update'), {
    name: 'ValidationException',
    $metadata: { httpStatusCode: 400 },
  });

/** As AWS words it. */
export const staleToken = (): Error =>
  Object.assign(new InvalidParameterValueException('Invalid checkpoint token'), {
    $metadata: { httpStatusCode: 400 },
  });
