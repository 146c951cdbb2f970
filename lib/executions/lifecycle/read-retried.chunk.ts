import { type CheckpointJournal, parseJournal } from '../../engine/checkpoint-journal.ts';
import { findBehind } from '../../workflows/plan/compile-plan.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import { type BlobStore, unpackText } from '../record/blob-store.ts';
import type { ExecutionStart } from '../record/execution-store.ts';

/**
 * The checkpoints that an execution takes over from the one that it retries: those of the nodes before the one that
 * runs again.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const readRetried = async (
  { retriedCheckpoints, retryOf }: Pick<ExecutionStart, 'retriedCheckpoints' | 'retryOf'>,
  plan: Plan,
  blobs: Pick<BlobStore, 'get'>,
): Promise<CheckpointJournal> =>
  retriedCheckpoints === null
    ? new Map()
    : parseJournal(await unpackText(retriedCheckpoints, blobs), findBehind(plan, retryOf?.fromNodeId ?? ''));

// For the runs that keep theirs.
export { createJournalingSteps } from '../../engine/checkpoint-journal.ts';
