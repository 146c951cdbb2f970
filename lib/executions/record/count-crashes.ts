import type { ExecutionRecord } from './execution-store.ts';

/** Consecutive crashes after which the execution is failed. */
export const MAX_CRASHES = 20;

/**
 * Counts consecutive crashes before a process starts. A process has crashed that left the run `running`; one that made a
 * checkpoint before restarts the count.
 *
 * @param journalSize - the present number of checkpoints
 */
export const countCrashes = (
  { status, crashes, journalSize: before }: Pick<ExecutionRecord, 'status' | 'crashes' | 'journalSize'>,
  journalSize: number,
): number => {
  if (status !== 'running') return 0;
  return journalSize > before ? 1 : crashes + 1;
};
