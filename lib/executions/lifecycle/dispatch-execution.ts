import type { Logger } from '../../contract/services.ts';
import { isAppError } from '../../shared/errors.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';
import type { ExecutionStart, ExecutionStore } from '../record/execution-store.ts';
import type { Dispatcher } from './dispatcher.ts';

export interface DispatchParts {
  readonly executions: Pick<ExecutionStore, 'withdraw'>;
  readonly dispatcher: Dispatcher;
  readonly logger: Logger;
}

/**
 * Hands an execution that was just stored over to the engine, or takes it back: for whoever would try again with
 * another one. When it resolves, the run is certain to happen.
 * Rejects with AppError `DISPATCH_REFUSED`: then nothing is left of it.
 */
export const dispatchOrWithdraw = async (
  start: Pick<ExecutionStart, 'executionId' | 'startToken'>,
  mode: BackgroundMode,
  parts: DispatchParts,
): Promise<void> => {
  try {
    await parts.dispatcher.dispatch(start.executionId, mode);
  } catch (error) {
    if (await isWithdrawn(start, parts)) throw error;
  }
};

/** It can't be when it has begun after all, nor when the store is not to be had: then it will run, and is to be answered for. */
const isWithdrawn = async (
  { executionId, startToken }: Pick<ExecutionStart, 'executionId' | 'startToken'>,
  { executions, logger }: DispatchParts,
): Promise<boolean> => {
  try {
    return await executions.withdraw(executionId, startToken);
  } catch (cause) {
    if (!isAppError(cause, 'STORE_UNAVAILABLE')) throw cause;
    logger.warn('The execution is stored, but not dispatched: it begins with the next sweep.', {
      executionId,
      cause,
    });
    return false;
  }
};
