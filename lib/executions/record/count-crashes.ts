import type { ExecutionRecord } from './execution-store.ts';

/** After as many crashes at one place, whatever causes them will cause the next one, too. */
export const MAX_CRASHES = 20;

/**
 * How many processes in a row ended too early, when another one is about to begin: without having suspended the run,
 * and without a checkpoint more than the one before. A crash after progress is the first of a new row.
 * @param journalSize how many checkpoints there are now
 */
export const countCrashes = (
  { status, crashes, journalSize: before }: Pick<ExecutionRecord, 'status' | 'crashes' | 'journalSize'>,
  journalSize: number,
): number => {
  if (status !== 'running') return 0;
  return journalSize > before ? 1 : crashes + 1;
};
