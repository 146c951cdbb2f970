import type { JsonObject } from '../contract/json.ts';
import type { CallbackAnswer, RetrySettings } from '../contract/node.ts';
import type { Clock } from '../contract/services.ts';

/** What one attempt at a node came to: data by output, or why it failed. Plain JSON, so that it can be remembered. */
export type Attempt =
  | { readonly outputs: Readonly<Record<string, JsonObject>> }
  | { readonly failure: { readonly name: string; readonly message: string } };

export type StepResult = Attempt & {
  /** How often it was tried. */
  readonly attempts: number;
};

/** A unit whose result is remembered, so that a resumed execution does not do it again. */
export interface Step {
  /** Unique in the execution and the same on every replay: node and turn. */
  readonly name: string;
  readonly retry: RetrySettings | undefined;
  /** @param number 1 for the first. Never rejects. */
  attempt(number: number): Promise<Attempt>;
  /** An attempt that a crash interrupted is not made again: the step fails with `StepInterruptedError`. */
  readonly atMostOnce?: boolean;
  /** Aborted when nobody waits for the result any more: no other attempt is to follow. */
  readonly signal?: AbortSignal;
}

/** A place that somebody outside can answer, once. */
interface StepCallback {
  /** What the engine of background runs calls it: who answers needs it. */
  readonly id: string;
  /** Null when the time was up before. */
  answer(): Promise<CallbackAnswer>;
}

/**
 * A way to remember. Everything is asked for in an order that depends on the plan and the data alone, never on what
 * finished first. Names are unique in an execution, and the same on every replay. Waiting is this port's business:
 * an engine that resumes waits at no cost. `run`, `wait` and `callback` reject with {@link OperationLimitError} where the
 * engine takes no more of them for this execution.
 */
export interface Steps {
  run(step: Step): Promise<StepResult>;
  /** For what goes on side by side with other things: has an order of its own. Remembers nothing by itself. */
  within<Value>(name: string, body: (steps: Steps) => Promise<Value>): Promise<Value>;
  wait(name: string, seconds: number, signal?: AbortSignal): Promise<void>;
  /** Rejects where nobody could answer. */
  callback(name: string, timeoutSeconds: number): Promise<StepCallback>;
}

/** Remembers nothing: for runs that end with the request that started them, and for those that begin anew after a crash. */
export const inlineSteps = (clock: Clock): Steps => {
  const steps: Steps = {
    run: async ({ attempt, retry, signal }) => {
      for (let number = 1; ; number++) {
        const result = await attempt(number);
        const delayMs = 'failure' in result ? computeRetryDelay(retry, number) : null;
        if (delayMs === null || !(await sleeps(clock, delayMs, signal)))
          return { ...result, attempts: number };
      }
    },
    within: (_name, body) => body(steps),
    wait: (_name, seconds, signal) => clock.sleep(seconds * 1_000, signal),
    callback: () =>
      Promise.reject(new Error('only a durable run can wait for an answer: this one ends with its process')),
  };
  return steps;
};

/** False when it was woken up, since the execution has ended. */
const sleeps = (clock: Clock, delayMs: number, signal: AbortSignal | undefined): Promise<boolean> =>
  clock.sleep(delayMs, signal).then(
    () => true,
    () => false,
  );

/** Milliseconds to wait after attempt `number` has failed; null when there is to be no other. */
export const computeRetryDelay = (retry: RetrySettings | undefined, number: number): number | null => {
  const { maxAttempts = 1, intervalSeconds = 1, backoffRate = 2, maxDelaySeconds = 60 } = retry ?? {};
  if (number >= maxAttempts) return null;
  return Math.min(intervalSeconds * backoffRate ** (number - 1), maxDelaySeconds) * 1_000;
};
