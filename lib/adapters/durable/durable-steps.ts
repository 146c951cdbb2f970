import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import {
  CallbackTimeoutError,
  type DurableContext,
  DurableOperationError,
  type Serdes,
  StepSemantics,
} from '@aws/durable-execution-sdk-js';
import type { JsonValue } from '@hookloom/plugin-kit';
import type { CallSlot, Postponed } from '../../engine/call-turn.ts';
import type { Failure } from '../../engine/failure.ts';
import {
  type Bodies,
  computeRetryDelay,
  createOperationBudget,
  type OperationBudget,
  OperationLimitError,
  type Step,
  type StepCallback,
  type StepQueue,
  type StepResult,
  type Steps,
} from '../../engine/steps.ts';
import { type BlobStore, packText, toBlobKey, unpackText } from '../../executions/record/blob-store.ts';
import { countBodyOperations, findBefore } from '../../workflows/plan/body-needs.ts';
import type { PendingIo } from './pending-io.ts';

/**
 * Maximum number of operations in one execution:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const MAX_OPERATIONS = 3_000;

/**
 * Steps as operations of a Lambda durable execution: results are checkpointed, and a replay gets them back.
 *
 * The SDK numbers operations by their position in a context. Each call below therefore starts its operation before it
 * awaits anything, and concurrent branches have virtual contexts of their own, which are not operations.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/durable-functions.html
 *
 * @param serdes - of step results
 * @param budget - operations left: one for each step, wait and callback, none for a virtual context. An operation over
 *   the budget is never started, since Lambda would fail the whole execution.
 * @param awaited - gets the names of the steps that wait until their start is a checkpoint
 */
export const createDurableSteps = (
  context: DurableContext,
  serdes: Serdes<StepResult | PostponedStep>,
  budget: OperationBudget = createOperationBudget(MAX_OPERATIONS),
  awaited: Set<string> = new Set(),
): Steps => {
  // The SDK refuses a call from another context than the caller's, which in a run may be any of its branches.
  const inContext = AsyncLocalStorage.snapshot();

  /** Runs a step, or the rest of one that was postponed. */
  const runOnce = async (step: Step, { name, after }: PartOfStep): Promise<StepResult | PostponedStep> => {
    const number = (attempt: number): number => (after?.attempts ?? 0) + attempt;
    budget.take(name);
    if (step.atMostOnce === true) awaited.add(toOperationName(name));
    // Replays may count other operations here, since branches are concurrent: by then, the result is a checkpoint.
    const queue = canPostpone(budget, after) ? { slot: after?.slot ?? null } : null;
    try {
      return await context.step(
        toOperationName(name),
        ({ attempt }) => attemptStep(step, number(attempt), queue, after),
        {
          serdes,
          semantics:
            step.atMostOnce === true ? StepSemantics.AtMostOncePerRetry : StepSemantics.AtLeastOncePerRetry,
          // Otherwise the SDK would make six attempts.
          retryStrategy: (error, attempt) =>
            decideRetry(step, number(attempt), error instanceof FailedAttemptError ? error.failure : {}),
        },
      );
    } catch (error) {
      if (!(error instanceof DurableOperationError)) throw error;
      return { failure: toStepFailure(error), attempts: number(1) };
    }
  };

  const run = async (step: Step): Promise<StepResult> => {
    let result = await runOnce(step, { name: step.name, after: null });
    while ('postponed' in result) {
      const { postponed } = result;
      const part = `${step.name}${POSTPONED}${postponed.times}`;
      await wait(`${part}/wait`, postponed.seconds);
      result = await runOnce(step, { name: part, after: postponed });
    }
    return result;
  };

  const within = async <Value>(name: string, body: (steps: Steps) => Promise<Value>): Promise<Value> => {
    // Not returned from the context, which would serialise it.
    const outcome: { value?: Value; error?: unknown } = {};
    await context.runInChildContext(
      toOperationName(name),
      async (child) => {
        try {
          outcome.value = await body(createDurableSteps(child, serdes, budget, awaited));
        } catch (error) {
          outcome.error = error;
        }
      },
      { virtualContext: true },
    );
    if ('error' in outcome) throw outcome.error;
    return outcome.value as Value;
  };

  const wait = async (name: string, seconds: number): Promise<void> => {
    budget.take(name);
    await context.wait(toOperationName(name), { seconds: Math.max(1, Math.ceil(seconds)) });
  };

  const callback = async (name: string, timeoutSeconds: number): Promise<StepCallback> => {
    budget.take(name);
    const timeout = { seconds: Math.max(1, Math.ceil(timeoutSeconds)) };
    const [answer, id] = await context.createCallback<string>(toOperationName(name), { timeout });
    return {
      id,
      answer: () =>
        answer.then(
          (text) => ({ value: JSON.parse(text) as JsonValue }),
          (error: unknown) => {
            if (error instanceof CallbackTimeoutError) return null;
            throw error;
          },
        ),
    };
  };

  return {
    run: (step) => inContext(run, step),
    within: (name, body) => inContext(() => within(name, body)),
    wait: (name, seconds) => inContext(wait, name, seconds),
    callback: (name, timeoutSeconds) => inContext(callback, name, timeoutSeconds),
    checkBodies: async (bodies, known) => checkBodies(bodies, known, budget),
  };
};

/**
 * Only operations of nodes before this one count as spent, because those of concurrent branches may come before it in
 * one replay and after it in another.
 */
const checkBodies = (
  { plan, route, node, key, count }: Bodies,
  known: number,
  { limit, taken }: OperationBudget,
): void => {
  const needed = count * countBodyOperations(plan, node) - known;
  if (needed <= 0) return;
  const before = findBefore(plan, route, node);
  const within = key.split('/').slice(0, -2);
  const left =
    limit -
    taken.filter((name) => {
      const parts = name.split('/');
      return within.every((part, at) => parts[at] === part) && before.has(parts[within.length] ?? '');
    }).length;
  if (needed > left)
    throw new OperationLimitError(
      `the ${count} items of this node need at least ${needed} durable operations, but the execution has only ${left} of ${limit} left`,
    );
};

/** A part of a step: it is postponed by ending one operation and starting another after a wait. */
interface PartOfStep {
  readonly name: string;
  /** How the part before it ended; null for the first. */
  readonly after: PostponedStep['postponed'] | null;
}

interface PostponedStep {
  readonly postponed: {
    readonly attempts: number;
    /** How often the step was postponed, this time included. */
    readonly times: number;
    readonly seconds: number;
    readonly slot: CallSlot | null;
  };
}

/** In the names of operations, before the number of a postponement: no id of a node contains it. */
export const POSTPONED = '~later';

/** How often a step is postponed: then it waits in its process, which fails it if that takes too long. */
const MAX_POSTPONED = 50;

/** The operations that must be left, for the other nodes. */
const MIN_OPERATIONS = 200;

const canPostpone = ({ limit, taken }: OperationBudget, after: PartOfStep['after']): boolean =>
  (after?.times ?? 0) < MAX_POSTPONED && limit - taken.length > MIN_OPERATIONS;

/** Throws only if another attempt follows; the last failure is a result like any other. */
const attemptStep = async (
  step: Step,
  number: number,
  queue: Pick<StepQueue, 'slot'> | null,
  after: PartOfStep['after'],
): Promise<StepResult | PostponedStep> => {
  let postponed: Postponed | null = null;
  const postpone = (given: Postponed): void => {
    postponed = given;
  };
  const result = await (queue === null ? step.attempt(number) : step.attempt(number, { ...queue, postpone }));
  const later = postponed as Postponed | null;
  if (later !== null)
    return {
      postponed: {
        attempts: number - 1,
        times: (after?.times ?? 0) + 1,
        seconds: Math.max(1, Math.floor(later.waitMs / 1_000)),
        slot: later.slot,
      },
    };
  if ('failure' in result && decideRetry(step, number, result.failure).shouldRetry)
    throw new FailedAttemptError(result.failure);
  return { ...result, attempts: number };
};

/** Carries the failure of an attempt to the retry strategy, which is called right after it, in the same process. */
class FailedAttemptError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

const decideRetry = (
  { retry, atMostOnce, signal }: Step,
  attempt: number,
  failure: Pick<Failure, 'isRetryable' | 'retryAfterMs'>,
) => {
  const delayMs = computeRetryDelay(retry, attempt, failure);
  if (atMostOnce === true || signal?.aborted === true || delayMs === null) return { shouldRetry: false };
  return { shouldRetry: true, delay: { seconds: Math.max(1, Math.ceil(delayMs / 1_000)) } };
};

/** An interrupted at-most-once step fails. A replay loses the error's class but keeps its name. */
const toStepFailure = (error: DurableOperationError): { name: string; message: string } => ({
  name: error.cause?.name ?? error.name,
  message: error.message,
});

/** Lambda's limit for the name of an operation, in characters. */
export const MAX_NAME_LENGTH = 256;

/** Shortens the name of a step to Lambda's limit: a long name ends with a hash of the whole. @internal */
export const toOperationName = (name: string): string => {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return `${name.slice(0, MAX_NAME_LENGTH - hash.length - 1)}~${hash}`;
};

/** Lambda's limit for the result of one step. */
const LIMIT_BYTES = 262_144;

/**
 * Serialises step results: small ones unchanged, larger ones compressed, and those beyond the limit as a pointer to a
 * blob, which a repeated step overwrites.
 */
export const createStepSerdes = (
  executionId: string,
  blobs: Pick<BlobStore, 'put' | 'get'>,
  pendingIo: PendingIo,
): Serdes<StepResult | PostponedStep> => ({
  serialize: async (result, { entityId }) => {
    const key = toBlobKey(executionId, `steps/${entityId}`, false);
    return packText(JSON.stringify(result), { limitBytes: LIMIT_BYTES, key, blobs });
  },
  deserialize: async (packed) =>
    packed === undefined ? undefined : JSON.parse(await pendingIo.track(unpackText(packed, blobs))),
});
