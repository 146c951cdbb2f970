/** The payload of a background run: `{executionId}` and nothing else, so that starting it again is the same start. @throws {TypeError} */
export const readExecutionId = (payload: unknown): string => {
  const { executionId } = (payload ?? {}) as { readonly executionId?: unknown };
  if (typeof executionId === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(executionId)) return executionId;
  throw new TypeError('The payload has no valid executionId.');
};
