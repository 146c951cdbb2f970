import type { NudgeQueue } from '../../executions/held/held-queues.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallAws } from './aws-caller.ts';
import { isSuccess, toCause } from './aws-error.ts';

/**
 * Invokes the sweeper for one queue, asynchronously.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 *
 * @param sweepFunction - its name
 */
export const createLambdaNudge =
  (call: CallAws, sweepFunction: string): NudgeQueue =>
  async ({ workflowId, triggerNodeId }, ended) => {
    const answer = await call({
      method: 'POST',
      path: `/2015-03-31/functions/${encodeURIComponent(sweepFunction)}/invocations`,
      headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' },
      body: JSON.stringify({ queue: { workflowId, triggerNodeId }, ended }),
    }).catch((cause: unknown) => {
      throw new AppError('DISPATCH_REFUSED', {}, cause);
    });
    if (!isSuccess(answer)) throw new AppError('DISPATCH_REFUSED', {}, toCause(answer));
  };
