import { setTimeout as pause } from 'node:timers/promises';

/** So that polling leaves the processors to what it waits for. */
const PAUSE_MS = 10;

/** Checks a condition of other processes again and again, for what they print nothing about. */
export const poll = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await pause(PAUSE_MS);
};
