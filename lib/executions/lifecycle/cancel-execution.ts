import type { Clock } from '../../contract/services.ts';
import { closeNodes } from '../../engine/close-nodes.ts';
import { AppError } from '../../shared/errors.ts';
import { isFinal } from '../record/execution-status.ts';
import type { ExecutionStore } from '../record/execution-store.ts';
import type { DurableService } from './durable-service.ts';
import { findExecution } from './find-execution.ts';
import { type FinishParts, finishExecution } from './finish-execution.ts';

export interface CancelParts extends FinishParts {
  readonly executions: ExecutionStore;
  readonly durableService: Pick<DurableService, 'stop'>;
  readonly clock: Pick<Clock, 'now'>;
}

const REASON = 'cancelled by an operator';

/**
 * Ends an execution before its time. The record decides: from then on nothing that still runs can change it, and a
 * process that is at it stops at its next step. What a node did already is done.
 * @throws AppError `EXECUTION_NOT_FOUND` | `NOT_CANCELLABLE` | `STORE_UNAVAILABLE`
 */
export const cancelExecution = async (executionId: string, parts: CancelParts): Promise<void> => {
  const record = await findExecution(executionId, parts);
  const { status, mode, nodes, nodesOmitted, trigger } = record;
  const refuse = (reason: string): never => {
    throw new AppError('NOT_CANCELLABLE', { executionId, reason });
  };
  if (isFinal(status)) refuse(`it has ended, as ${status}`);
  if (mode === 'inline') refuse('its caller waits for it, and it ends within seconds by itself');
  const open = nodes.findLast((node) => node.status === 'waiting' || node.status === 'running');
  const failure = { nodeId: open?.nodeId ?? trigger.nodeId, name: 'Cancelled', message: REASON };
  const endedAt = parts.clock.now();
  const end = {
    status: 'cancelled',
    endedAt,
    nodes: closeNodes(nodes, endedAt, failure),
    nodesOmitted,
    failure,
  } as const;
  if (!(await finishExecution(record, end, parts))) refuse('it has just ended');
  // Who had not begun it may have done so just before: its process is told, too.
  const leaseOwner = record.leaseOwner ?? (await parts.executions.find(executionId))?.leaseOwner ?? null;
  if (mode !== 'durable' || leaseOwner === null) return;
  try {
    await parts.durableService.stop(leaseOwner, REASON);
  } catch (cause) {
    // It finds the record ended when it goes on, and ends by itself.
    parts.logger.warn('The durable execution is not stopped.', { executionId, cause });
  }
};
