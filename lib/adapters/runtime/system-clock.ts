import { randomUUID } from 'node:crypto';
import type { Clock, Ids } from '@hookloom/plugin-kit';

/** A longer delay overflows the timer's 32 bits and fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

const sleepOnce = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });

/** The machine's time. A pending sleep keeps the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    let left = ms;
    for (; left > longestTimerMs; left -= longestTimerMs) await sleepOnce(longestTimerMs, signal);
    await sleepOnce(left, signal);
  },
};

/** Random UUIDs (RFC 9562, version 4): 122 random bits in 36 characters. */
export const randomIds: Ids = { next: () => randomUUID() };
