// Invariants of cancelling an execution; tests cite them.
// B15: The record is made final before the durable execution is stopped, so that its run cannot change it.

import { NOT_CANCELLABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { FinishPorts, Ports } from '../ports.ts';
import { isFinal } from '../record/execution-store.ts';
import { findExecution, finishEarly } from './finish-execution.ts';

export type CancelPorts = FinishPorts &
  Pick<Ports, 'clock'> & { readonly durableService: Pick<Ports['durableService'], 'stop'> };

const REASON = 'cancelled by an operator';

/**
 * Cancels an execution. Its record is made final first, so that the run, which stops at its next step, can't change it.
 * What nodes have already done is not undone.
 * @returns false if its durable execution could not be stopped: it ends when it resumes
 * @throws AppError `EXECUTION_NOT_FOUND` | `NOT_CANCELLABLE` | `STORE_UNAVAILABLE`
 */
export const cancelExecution = async (executionId: string, ports: CancelPorts): Promise<boolean> => {
  const record = await findExecution(executionId, ports);
  const { status, mode } = record;
  const notCancellable = (reason: string) => new AppError(NOT_CANCELLABLE, { executionId, reason });
  if (isFinal(status)) throw notCancellable(`it has already ended, with the status ${status}`);
  if (mode === 'inline') throw notCancellable('its caller is waiting for it, and it ends within seconds');
  const isCancelled = await finishEarly(record, 'cancelled', { name: 'Cancelled', message: REASON }, ports);
  if (!isCancelled) throw notCancellable('it has just ended');
  // A process may have acquired the lease just before.
  const leaseOwner = record.leaseOwner ?? (await ports.executions.find(executionId))?.leaseOwner ?? null;
  if (mode !== 'durable' || leaseOwner === null) return true;
  try {
    await ports.durableService.stop(leaseOwner, REASON);
    return true;
  } catch (cause) {
    // It ends when it resumes and finds its record final.
    ports.logger.warn('The durable execution could not be stopped.', { executionId, cause });
    return false;
  }
};
