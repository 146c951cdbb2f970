import type { NudgeQueue } from '../../executions/held-queues.ts';
import type { Dispatcher } from '../../executions/ports.ts';
import { DISPATCH_REFUSED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { askAws, type CallAws, postJson } from './aws-caller.ts';
import { errorTypeOf } from './aws-error.ts';

/**
 * Invokes a function asynchronously: once Lambda has accepted an event, it invokes the function until that succeeds, or
 * moves the event to the dead-letter queue. https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 * @param durableName - of the durable execution that it starts; one that exists already counts as accepted
 * @throws AppError `DISPATCH_REFUSED`
 */
const sendEvent = async (
  call: CallAws,
  functionName: string,
  event: object,
  durableName: string | null = null,
): Promise<void> => {
  const path = `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`;
  const request = postJson(path, event, {
    'x-amz-invocation-type': 'Event',
    ...(durableName === null ? {} : { 'x-amz-durable-execution-name': durableName }),
  });
  await askAws(
    call,
    request,
    (cause) => new AppError(DISPATCH_REFUSED, {}, cause),
    (answer) => errorTypeOf(answer) === 'DurableExecutionAlreadyStartedException',
  );
};

/** Invokes the sweeper for one queue. @param sweepFunction - its name */
export const createLambdaNudge =
  (call: CallAws, sweepFunction: string): NudgeQueue =>
  ({ workflowId, triggerNodeId }, ended) =>
    sendEvent(call, sweepFunction, { queue: { workflowId, triggerNodeId }, ended });

/** Invokes the function that runs bulk retries for one of them. @param retryFunction - its name */
export const createInvokeRunner = (call: CallAws, retryFunction: string) => (bulkRetryId: string) =>
  sendEvent(call, retryFunction, { bulkRetryId });

/** Invokes the function for express runs to poll. @param expressFunction - its name */
export const createStartPoll = (call: CallAws, expressFunction: string) => (due: object) =>
  sendEvent(call, expressFunction, { poll: due });

/** Reports failures to the function that receives the events of triggers. */
export const createSendFailure = (call: CallAws, functionName: string) => (executionId: string) =>
  sendEvent(call, functionName, { hookloom: { failed: executionId } });

/** Asks the function that receives the events of triggers for the notices that are due. */
export const createSendTick = (call: CallAws, functionName: string) => () =>
  sendEvent(call, functionName, { hookloom: { notices: 'due' } });

/**
 * Dispatches with Lambda's asynchronous invocation. A durable execution is named after the execution's id, so that a
 * repeated dispatch finds it, whether running or ended. For that the payload must be identical to the byte, so it
 * contains only the id. https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 * @param functions - names of the functions; the durable one with its alias, `name:alias`
 */
export const createLambdaDispatcher = (
  call: CallAws,
  functions: { readonly durable: string; readonly express: string },
): Dispatcher => ({
  dispatch: (executionId, mode, redispatches = 0) =>
    sendEvent(
      call,
      functions[mode],
      { executionId },
      mode === 'durable' ? toDurableName(executionId, redispatches) : null,
    ),
});

/**
 * At most 64 characters; ours have 43. The first repeated dispatch has the same name as the original one, so that it
 * starts only once if it was merely waiting in Lambda's queue.
 * @internal
 */
export const toDurableName = (executionId: string, redispatches: number): string =>
  redispatches < 2 ? executionId : `${executionId}-${redispatches}`;
