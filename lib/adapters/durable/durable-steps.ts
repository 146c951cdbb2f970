import {
  CallbackTimeoutError,
  type DurableContext,
  DurableOperationError,
  type Serdes,
  StepSemantics,
} from '@aws/durable-execution-sdk-js';
import type { JsonValue } from '../../contract/json.ts';
import { createOperationBudget, type OperationBudget } from '../../engine/operation-budget.ts';
import { computeRetryDelay, type Step, type StepResult, type Steps } from '../../engine/steps.ts';
import { toOperationName } from './operation-name.ts';

/** As many as Lambda allows: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAX_OPERATIONS = 3_000;

/**
 * Remembers with Lambda's durable execution: what is done is stored, and a run that goes on after a crash or a wait
 * is given it. https://docs.aws.amazon.com/lambda/latest/dg/durable-functions.html
 *
 * The engine knows operations by their position in a context. Each call below therefore takes its place before it
 * waits for anything, and what goes on side by side has a context of its own: a virtual one, which is no operation.
 * @param serdes how results are written down: whatever their size
 * @param budget what is left of the operations that the execution may have: one for each step, wait and callback, none
 *   for a virtual context. A refused one is never asked for, since the engine would fail the execution as a whole.
 */
export const createDurableSteps = (
  context: DurableContext,
  serdes: Serdes<StepResult>,
  budget: OperationBudget = createOperationBudget(MAX_OPERATIONS),
): Steps => ({
  run: async (step) => {
    budget.take();
    try {
      return await context.step(toOperationName(step.name), (attempt) => attemptStep(step, attempt.attempt), {
        serdes,
        semantics:
          step.atMostOnce === true ? StepSemantics.AtMostOncePerRetry : StepSemantics.AtLeastOncePerRetry,
        // Always our own: the SDK's would try six times.
        retryStrategy: (_error, attempt) => decideRetry(step, attempt),
      });
    } catch (error) {
      if (!(error instanceof DurableOperationError)) throw error;
      return { failure: toStepFailure(error), attempts: 1 };
    }
  },

  within: async <Value>(name: string, body: (steps: Steps) => Promise<Value>) => {
    // A context writes down what its function gives, which is not wanted: the outcome goes past it.
    const outcome: { value?: Value; error?: unknown } = {};
    await context.runInChildContext(
      toOperationName(name),
      async (child) => {
        try {
          outcome.value = await body(createDurableSteps(child, serdes, budget));
        } catch (error) {
          outcome.error = error;
        }
      },
      { virtualContext: true },
    );
    if ('error' in outcome) throw outcome.error;
    return outcome.value as Value;
  },

  wait: async (name, seconds) => {
    budget.take();
    await context.wait(toOperationName(name), { seconds: Math.max(1, Math.ceil(seconds)) });
  },

  callback: async (name, timeoutSeconds) => {
    budget.take();
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
  },
});

/** Fails the attempt for the SDK only when there is to be another one: the last failure is data like any other result. */
const attemptStep = async (step: Step, number: number): Promise<StepResult> => {
  const result = await step.attempt(number);
  if ('failure' in result && decideRetry(step, number).shouldRetry) throw new Error(result.failure.message);
  return { ...result, attempts: number };
};

const decideRetry = ({ retry, atMostOnce, signal }: Step, attempt: number) => {
  const delayMs = computeRetryDelay(retry, attempt);
  if (atMostOnce === true || signal?.aborted === true || delayMs === null) return { shouldRetry: false };
  return { shouldRetry: true, delay: { seconds: Math.max(1, Math.ceil(delayMs / 1_000)) } };
};

/** What a crash interrupted, and may not be done again, fails: the class is lost on a replay, the name is not. */
const toStepFailure = (error: DurableOperationError): { name: string; message: string } => ({
  name: error.cause?.name ?? error.name,
  message: error.message,
});
