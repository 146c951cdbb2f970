import type { NudgeQueue } from '../../executions/held/held-queues.ts';
import { DISPATCH_REFUSED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallAws } from './aws-caller.ts';
import { isSuccess, toCause } from './aws-error.ts';

/**
 * Invokes a function asynchronously: once Lambda has accepted an event, it invokes the function until that succeeds, or
 * moves the event to the dead-letter queue. https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 * @throws AppError `DISPATCH_REFUSED`
 */
const createSendEvent =
  (call: CallAws, functionName: string) =>
  async (event: object): Promise<void> => {
    const answer = await call({
      method: 'POST',
      path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
      headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' },
      body: JSON.stringify(event),
    }).catch((cause: unknown) => {
      throw new AppError(DISPATCH_REFUSED, {}, cause);
    });
    if (!isSuccess(answer)) throw new AppError(DISPATCH_REFUSED, {}, toCause(answer));
  };

/** Invokes the sweeper for one queue. @param sweepFunction - its name */
export const createLambdaNudge = (call: CallAws, sweepFunction: string): NudgeQueue => {
  const send = createSendEvent(call, sweepFunction);
  return ({ workflowId, triggerNodeId }, ended) => send({ queue: { workflowId, triggerNodeId }, ended });
};

/** Reports failures to the function that receives the events of triggers. */
export const createSendFailure = (call: CallAws, functionName: string) => {
  const send = createSendEvent(call, functionName);
  return (executionId: string): Promise<void> => send({ hookloom: { failed: executionId } });
};
