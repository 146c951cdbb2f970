import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE_MS } from './deep.ts';

/** So that polling leaves the processors to what it waits for. */
const PAUSE_MS = 10;

/** Checks a condition of other processes again and again, for what they print nothing about. */
export const poll = async (isSo: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`in ${PATIENCE_MS} ms it did not become so: ${isSo}`);
    await pause(PAUSE_MS);
  }
};
