import type { Logger } from '../../contract/services.ts';
import { isAppError } from '../../shared/errors.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';
import type { ExecutionStart, ExecutionStore } from '../record/execution-store.ts';

/** Hands accepted executions over to the engines that run them in the background. */
export interface Dispatcher {
  /**
   * Once it resolves, the run is certain to begin. Dispatching twice starts one run.
   *
   * @param redispatches - how often it was dispatched before without having begun. Each has a name of its own for the
   *   engine, so that one that the engine has given up does not stand in the way. 0 when absent
   * @throws AppError `DISPATCH_REFUSED` when the engine does not take it: throttled, out of reach, misconfigured. It may
   *   have begun nevertheless, if only the reply was lost; its record says so.
   */
  dispatch(executionId: string, mode: BackgroundMode, redispatches?: number): Promise<void>;
}

interface DispatchParts {
  readonly executions: Pick<ExecutionStore, 'withdraw'>;
  readonly dispatcher: Dispatcher;
  readonly logger: Logger;
}

/**
 * Dispatches an execution that was just stored, or withdraws it: another try would be another execution. Once it
 * resolves, the run is certain to happen.
 *
 * @throws AppError `DISPATCH_REFUSED`: nothing is left of it
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

/** False when it has begun after all, or the store can't be reached: then it will run, and the caller gets its id. */
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
