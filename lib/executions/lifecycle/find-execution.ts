import type { Clock } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import { AppError } from '../../shared/errors.ts';
import type { ExecutionRecord, ExecutionStore } from '../record/execution-store.ts';
import { type FinishParts, finishEarly } from './finish-execution.ts';

/** The longest timeout of a Lambda function. */
const MAX_INLINE_MS = 15 * 60_000;

/** Name of the failure of an execution whose process ended without recording how. */
export const PROCESS_LOST = 'ProcessLost';

/** @throws AppError `EXECUTION_NOT_FOUND` | `STORE_UNAVAILABLE` */
export const findExecution = async (
  executionId: string,
  { executions }: { readonly executions: Pick<ExecutionStore, 'find'> },
): Promise<ExecutionRecord> => {
  const record = isId(executionId) ? await executions.find(executionId) : null;
  if (record !== null) return record;
  throw new AppError('EXECUTION_NOT_FOUND', {
    executionId: isId(executionId) ? executionId : 'with this id',
  });
};

/**
 * Finds an execution, and finishes it first if it is an inline run whose process has died: an index for the sweeper
 * would cost more than these rare cases justify.
 *
 * @throws AppError `EXECUTION_NOT_FOUND` | `STORE_UNAVAILABLE`
 */
export const findReconciledExecution = async (
  executionId: string,
  parts: FinishParts & { readonly executions: ExecutionStore; readonly clock: Pick<Clock, 'now'> },
): Promise<ExecutionRecord> => {
  const record = await findExecution(executionId, parts);
  const ageMs = parts.clock.now() - record.startedAt;
  if (record.mode !== 'inline' || record.status !== 'running' || ageMs <= MAX_INLINE_MS) return record;
  const message = 'its process ended without saying how';
  await finishEarly(record, 'failed', { name: PROCESS_LOST, message }, parts);
  return findExecution(executionId, parts);
};
