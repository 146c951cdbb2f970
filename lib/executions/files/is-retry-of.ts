import type { ExecutionIdentity, ExecutionStore } from '../record/execution-store.ts';

/** Retries of retries are followed this far. */
const MAX_RETRIES = 100;

/**
 * Whether an execution retries another one, or a retry of it: its checkpoints hold files of that one. A retry whose record
 * has expired ends the search.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const isRetryOf = async (
  execution: Pick<ExecutionIdentity, 'retryOf'>,
  executionId: string,
  executions: Pick<ExecutionStore, 'find'>,
): Promise<boolean> => {
  let { retryOf } = execution;
  for (let retries = 0; retryOf !== null && retries < MAX_RETRIES; retries += 1) {
    if (retryOf.executionId === executionId) return true;
    retryOf = (await executions.find(retryOf.executionId))?.retryOf ?? null;
  }
  return false;
};
