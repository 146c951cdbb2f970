// Invariants of dispatching an execution; tests cite them.
// B3: An execution is withdrawn only if it has not started.

import type { Logger } from '@hookloom/plugin-kit';
import { isInfrastructureError } from '../../shared/errors.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';
import type { ExecutionStart, ExecutionStore } from '../record/execution-store.ts';

export interface Dispatcher {
  /**
   * Hands an accepted execution to the engine of its mode. Once this resolves, the run is certain to start. Idempotent.
   * @param redispatches - earlier dispatches that started nothing; 0 if absent. From the second on, the engine knows
   * each by a different name, so that a failed one does not block the next
   * @throws AppError `DISPATCH_REFUSED` if the engine throttles, is unreachable or is misconfigured. If only its reply
   * was lost, the run starts nevertheless, and its record says so.
   */
  dispatch(executionId: string, mode: BackgroundMode, redispatches?: number): Promise<void>;
}

interface DispatchParts {
  readonly executions: Pick<ExecutionStore, 'withdraw'>;
  readonly dispatcher: Dispatcher;
  readonly logger: Logger;
}

/**
 * Dispatches an execution that was just stored. If that fails, it is withdrawn, because a caller's retry gets another
 * id. Once this resolves, the run is certain to start.
 * @throws AppError `DISPATCH_REFUSED` if it was withdrawn
 */
export const dispatchOrWithdraw = async (
  start: Pick<ExecutionStart, 'executionId' | 'startToken'>,
  mode: BackgroundMode,
  parts: DispatchParts,
): Promise<void> => {
  try {
    await parts.dispatcher.dispatch(start.executionId, mode);
  } catch (error) {
    if (await withdraw(start, parts)) throw error;
  }
};

/**
 * Withdraws an execution that could not be dispatched.
 * @returns false if it has started after all, or the store can't be reached, in which case the sweeper dispatches it
 */
const withdraw = async (
  { executionId, startToken }: Pick<ExecutionStart, 'executionId' | 'startToken'>,
  { executions, logger }: DispatchParts,
): Promise<boolean> => {
  try {
    return await executions.withdraw(executionId, startToken);
  } catch (cause) {
    if (!isInfrastructureError(cause)) throw cause;
    logger.warn('The execution is stored, but not dispatched; it starts with the next sweep.', {
      executionId,
      cause,
    });
    return false;
  }
};
