import type { Dispatcher } from '../../executions/lifecycle/dispatch-execution.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallAws } from './aws-caller.ts';
import { errorTypeOf, isSuccess, toCause } from './aws-error.ts';

/**
 * Dispatches by Lambda's asynchronous invocation. A durable execution is named by the execution's id, which makes a
 * repeated dispatch find it, running or ended. That needs a payload that is the same to the byte: it holds the id only.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 * @param functions - names; the durable one with its alias, `name:alias`
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
    if (isSuccess(answer) || errorTypeOf(answer) === 'DurableExecutionAlreadyStartedException') return;
    throw new AppError('DISPATCH_REFUSED', {}, toCause(answer));
  },
});

/**
 * At most 64 characters; ours have 43. The first dispatch again has the name of the one before: if Lambda only had not come to
 * that, it starts once.
 */
export const toName = (executionId: string, redispatches: number): string =>
  redispatches < 2 ? executionId : `${executionId}-${redispatches}`;
