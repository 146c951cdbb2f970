import type { Dispatcher } from '../../executions/lifecycle/dispatch-execution.ts';
import { DISPATCH_REFUSED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallAws } from './aws-caller.ts';
import { errorTypeOf, isSuccess, toCause } from './aws-error.ts';

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
      throw new AppError(DISPATCH_REFUSED, {}, cause);
    });
    if (isSuccess(answer) || errorTypeOf(answer) === 'DurableExecutionAlreadyStartedException') return;
    throw new AppError(DISPATCH_REFUSED, {}, toCause(answer));
  },
});

/**
 * At most 64 characters; ours have 43. The first repeated dispatch has the same name as the original one, so that it
 * starts only once if it was merely waiting in Lambda's queue.
 */
export const toName = (executionId: string, redispatches: number): string =>
  redispatches < 2 ? executionId : `${executionId}-${redispatches}`;
