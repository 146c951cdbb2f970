import type { Clock } from '../../contract/services.ts';
import { AppError } from '../../shared/errors.ts';
import { isFinal } from '../record/execution-status.ts';
import type { ExecutionStore } from '../record/execution-store.ts';
import type { DurableService } from './durable-service.ts';
import { findExecution } from './find-execution.ts';
import { type FinishParts, finishEarly } from './finish-execution.ts';

export interface CancelParts extends FinishParts {
  readonly executions: ExecutionStore;
  readonly durableService: Pick<DurableService, 'stop'>;
  readonly clock: Pick<Clock, 'now'>;
}

const REASON = 'cancelled by an operator';

/**
 * Ends an execution before its time. The record decides: nothing that still runs can change it any more, and its process
 * stops at its next step. What a node did already is done.
 *
 * @throws AppError `EXECUTION_NOT_FOUND` | `NOT_CANCELLABLE` | `STORE_UNAVAILABLE`
 */
export const cancelExecution = async (executionId: string, parts: CancelParts): Promise<void> => {
  const record = await findExecution(executionId, parts);
  const { status, mode } = record;
  const refuse = (reason: string): never => {
    throw new AppError('NOT_CANCELLABLE', { executionId, reason });
  };
  if (isFinal(status)) refuse(`it has ended, as ${status}`);
  if (mode === 'inline') refuse('its caller waits for it, and it ends within seconds by itself');
  const isCancelled = await finishEarly(record, 'cancelled', { name: 'Cancelled', message: REASON }, parts);
  if (!isCancelled) refuse('it has just ended');
  // A process may have acquired the lease just before: stop that one.
  const leaseOwner = record.leaseOwner ?? (await parts.executions.find(executionId))?.leaseOwner ?? null;
  if (mode !== 'durable' || leaseOwner === null) return;
  try {
    await parts.durableService.stop(leaseOwner, REASON);
  } catch (cause) {
    // It finds the record finished when it resumes, and ends by itself.
    parts.logger.warn('The durable execution is not stopped.', { executionId, cause });
  }
};
