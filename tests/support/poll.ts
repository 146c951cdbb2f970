import { setImmediate } from 'node:timers/promises';

/** Checks a condition of other processes again and again, for what they print nothing about. */
export const poll = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await setImmediate();
};
