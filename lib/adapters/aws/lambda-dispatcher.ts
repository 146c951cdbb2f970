import type { Dispatcher } from '../../executions/lifecycle/dispatch-execution.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallAws } from './aws-caller.ts';
import { errorTypeOf, isDone, toCause } from './aws-error.ts';

/**
 * Launches with Lambda's asynchronous invocation. A durable execution has the name of ours: launching it again gives
 * the one that runs, or has failed, as long as the payload is the same to the byte, so that nothing else travels in it.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 * @param functions the durable one with its alias: `name:alias`
 */
export const createLambdaDispatcher = (
  call: CallAws,
  functions: { readonly durable: string; readonly express: string },
): Dispatcher => ({
  dispatch: async (executionId, mode, redispatches = 0) => {
    const answer = await call({
      method: 'POST',
      path: `/2015-03-31/functions/${encodeURIComponent(functions[mode])}/invocations`,
      headers: {
        'content-type': 'application/json',
        'x-amz-invocation-type': 'Event',
        ...(mode === 'durable' ? { 'x-amz-durable-execution-name': toName(executionId, redispatches) } : {}),
      },
      body: JSON.stringify({ executionId }),
    }).catch((cause: unknown) => {
      throw new AppError('DISPATCH_REFUSED', {}, cause);
    });
    if (isDone(answer) || errorTypeOf(answer) === 'DurableExecutionAlreadyStartedException') return;
    throw new AppError('DISPATCH_REFUSED', {}, toCause(answer));
  },
});

/** At most 64 characters: ids of ours have 43 at most. */
const toName = (executionId: string, redispatches: number): string =>
  redispatches === 0 ? executionId : `${executionId}-${redispatches}`;
