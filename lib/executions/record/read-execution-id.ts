import { isId } from '@hookloom/plugin-kit/host';

/**
 * Reads the payload of a background run, which is `{executionId}` and nothing else, so that dispatching twice starts it
 * once.
 * @throws TypeError
 */
export const readExecutionId = (payload: unknown): string => {
  const { executionId } = (payload ?? {}) as { readonly executionId?: unknown };
  if (isId(executionId)) return executionId;
  throw new TypeError('The payload has no valid executionId.');
};
