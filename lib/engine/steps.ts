import type { CallbackAnswer, Clock, JsonObject, RetrySettings, Usage } from '@hookloom/plugin-kit';
import type { Plan, PlanNode, Route } from '../workflows/plan/plan.ts';
import type { CallSlot, Postponed } from './call-turn.ts';
import type { Failure } from './failure.ts';

/** Result of one attempt at a node: data by output, or the failure. Plain JSON, so that it can be a checkpoint. */
export type Attempt = (
  | { readonly outputs: Readonly<Record<string, JsonObject>> }
  | { readonly failure: Failure }
) & {
  /** What the node has counted; absent if nothing. */
  readonly usage?: Usage;
};

export type StepResult = Attempt & {
  /** How many attempts have been made. */
  readonly attempts: number;
};

/** What a node run is given, by which a retry of failed items decides whether its checkpoints still hold. */
export interface Given {
  /** Whether it starts after items have failed, and so may be given something else once they succeed. */
  readonly isPartial: boolean;
  /** Its parameters and its data, as JSON; computed on demand. */
  toText(): string;
}

/** A unit whose result becomes a checkpoint, so that a replay does not repeat it. */
export interface Step {
  /** Unique in the execution and the same on every replay. */
  readonly name: string;
  /** What its node is given; absent for a step of a control node. */
  readonly given?: Given;
  /** Whether the workflow continues after its failure; if not, a retry of what failed makes it again. */
  readonly isFailureHandled?: boolean;
  readonly retry: RetrySettings | undefined;
  /**
   * Makes one attempt; never rejects.
   * @param number - 1 for the first attempt
   * @param queue - absent if the attempt can't be postponed
   * @param keyId - the execution from whose id its idempotency key is derived; that of the session if absent
   */
  attempt(number: number, queue?: StepQueue, keyId?: string): Promise<Attempt>;
  /** An attempt that a crash interrupted is not repeated: the step fails with `StepInterruptedError`. */
  readonly atMostOnce?: boolean;
  /** A signal that is aborted when the result is no longer needed: no further attempt is made. */
  readonly signal?: AbortSignal;
}

/** Lets a durable step wait for limits on calls out without a process. */
export interface StepQueue {
  /** The slot that an earlier try reserved. */
  readonly slot: CallSlot | null;
  /** Has the attempt made again later: its result is not used. */
  postpone(postponed: Postponed): void;
}

/** A pending callback, which is answered at most once. */
export interface StepCallback {
  /** The callback's id in the engine of background runs, needed to answer it. */
  readonly id: string;
  /** @returns the answer; null when the callback timed out */
  answer(): Promise<CallbackAnswer>;
}

/**
 * Makes checkpoints. The order of calls depends only on the plan and the data, never on what finishes first. Names are
 * unique in an execution and the same on every replay. Waits belong to this port, because an engine with a journal
 * suspends for them at no cost.
 */
export interface Steps {
  /** Runs a step, or returns its checkpoint. @throws OperationLimitError */
  run(step: Step): Promise<StepResult>;
  /**
   * Opens a branch that orders its own operations, for concurrent work. Makes no checkpoint.
   * @param given - what the control node is given whose operations it is for; absent for any other branch
   */
  within<Value>(name: string, body: (steps: Steps) => Promise<Value>, given?: Given): Promise<Value>;
  /** Waits; a replay does not wait again. @throws OperationLimitError */
  wait(name: string, seconds: number, signal?: AbortSignal): Promise<void>;
  /** @throws OperationLimitError, or another Error if the run can't wait for an answer */
  callback(name: string, timeoutSeconds: number): Promise<StepCallback>;
  /**
   * Refuses bodies that need more operations than are left, before the first operation, and identically on every
   * replay. Absent if operations are not limited.
   * @param known - how many of their operations are known from an earlier execution
   * @throws OperationLimitError
   */
  checkBodies?(bodies: Bodies, known: number): Promise<void>;
}

/** The runs of a node's body that are about to start. */
export interface Bodies {
  readonly plan: Plan;
  /** The route that the node is on. */
  readonly route: Route;
  readonly node: PlanNode;
  /** The key of the node run: see `nodeKeyOf`. */
  readonly key: string;
  readonly count: number;
}

/** Makes no checkpoints: for inline runs, and for express runs, which start from the beginning after a crash. */
export const inlineSteps = (clock: Clock): Steps => {
  const steps: Steps = {
    run: async ({ attempt, retry, signal }) => {
      for (let number = 1; ; number++) {
        const result = await attempt(number);
        const delayMs = 'failure' in result ? computeRetryDelay(retry, number, result.failure) : null;
        if (delayMs === null || !(await sleepsThrough(clock, delayMs, signal)))
          return { ...result, attempts: number };
      }
    },
    within: (_name, body) => body(steps),
    wait: (_name, seconds, signal) => clock.sleep(seconds * 1_000, signal),
    callback: () =>
      Promise.reject(new Error('only a durable run can wait for an answer; this run ends with its process')),
  };
  return steps;
};

/** @returns false if the signal was aborted in the meantime */
const sleepsThrough = (clock: Clock, delayMs: number, signal: AbortSignal | undefined): Promise<boolean> =>
  clock.sleep(delayMs, signal).then(
    () => true,
    () => false,
  );

/**
 * Computes the delay after attempt `number` has failed: the delay of the policy, or the longer one that the failure
 * requests.
 * @returns milliseconds, at most `maxDelaySeconds` seconds; null if it was the last attempt
 */
export const computeRetryDelay = (
  retry: RetrySettings | undefined,
  number: number,
  { isRetryable = true, retryAfterMs = 0 }: Pick<Failure, 'isRetryable' | 'retryAfterMs'> = {},
): number | null => {
  const { maxAttempts = 1, intervalSeconds = 1, backoffRate = 2, maxDelaySeconds = 60 } = retry ?? {};
  if (number >= maxAttempts || !isRetryable) return null;
  const delayMs = intervalSeconds * 1_000 * backoffRate ** (number - 1);
  return Math.min(Math.max(delayMs, retryAfterMs), maxDelaySeconds * 1_000);
};

/** An execution would exceed the number of operations that the durable engine allows. */
export class OperationLimitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OperationLimit';
  }
}

export interface OperationBudget {
  readonly limit: number;
  /**
   * Names of the operations so far. With concurrent branches, which of them have used operations may differ between
   * replays.
   */
  readonly taken: readonly string[];
  /** @throws OperationLimitError when no operation is left */
  take(name: string): void;
}

/** Counts the operations of one execution, starting at zero in each process, since a replay repeats them all. */
export const createOperationBudget = (limit: number): OperationBudget => {
  const taken: string[] = [];
  return {
    limit,
    taken,
    take: (name) => {
      if (taken.length >= limit)
        throw new OperationLimitError(
          `the execution needs more than the ${limit} durable operations that are allowed`,
        );
      taken.push(name);
    },
  };
};
