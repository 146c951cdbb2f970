import { AppError } from '../../shared/errors.ts';
import type { CallAws } from './aws-caller.ts';
import { isSuccess, toCause } from './aws-error.ts';

/**
 * Reports failures to the function that takes the events of triggers, by Lambda's asynchronous invocation: once Lambda has
 * accepted one, it invokes the function until that succeeds, or puts the event into the dead-letter queue.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 *
 * @throws AppError `DISPATCH_REFUSED`
 */
export const createSendFailure =
  (call: CallAws, functionName: string) =>
  async (executionId: string): Promise<void> => {
    const answer = await call({
      method: 'POST',
      path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
      headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' },
      body: JSON.stringify({ hookloom: { failed: executionId } }),
    }).catch((cause: unknown) => {
      throw new AppError('DISPATCH_REFUSED', {}, cause);
    });
    if (!isSuccess(answer)) throw new AppError('DISPATCH_REFUSED', {}, toCause(answer));
  };
