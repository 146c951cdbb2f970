import type { Clock } from '../../contract/services.ts';
import { AppError } from '../../shared/errors.ts';
import type { ExecutionRecord, ExecutionStore } from '../record/execution-store.ts';
import { type FinishParts, finishExecution } from './finish-execution.ts';

/** Lambda ends every process after 15 minutes. */
const INLINE_LIFE_MS = 15 * 60_000;

/** The failure of an execution whose process ended without a word of how. */
export const PROCESS_LOST = 'ProcessLost';

const EXECUTION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** @throws AppError `EXECUTION_NOT_FOUND` | `STORE_UNAVAILABLE` */
export const findExecution = async (
  executionId: string,
  { executions }: { readonly executions: Pick<ExecutionStore, 'find'> },
): Promise<ExecutionRecord> => {
  const isId = EXECUTION_ID.test(executionId);
  const record = isId ? await executions.find(executionId) : null;
  if (record !== null) return record;
  throw new AppError('EXECUTION_NOT_FOUND', { executionId: isId ? executionId : 'with this id' });
};

/**
 * Finds an execution to look at. One that ran in the process that took its request, and whose process must have ended
 * long ago, died without saying so: it is settled by whoever looks first, since no sweep is worth its cost for these.
 */
export const showExecution = async (
  executionId: string,
  parts: FinishParts & { readonly executions: ExecutionStore; readonly clock: Pick<Clock, 'now'> },
): Promise<ExecutionRecord> => {
  const record = await findExecution(executionId, parts);
  const now = parts.clock.now();
  const isLost =
    record.mode === 'inline' && record.status === 'running' && now - record.startedAt > INLINE_LIFE_MS;
  if (!isLost) return record;
  const message = 'its process ended without saying how';
  const failure = { nodeId: record.trigger.nodeId, name: PROCESS_LOST, message };
  await finishExecution(record, { status: 'failed', endedAt: now, nodes: record.nodes, failure }, parts);
  return findExecution(executionId, parts);
};
