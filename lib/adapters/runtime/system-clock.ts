import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock, Ids } from '@hookloom/plugin-kit';

/** A longer delay overflows the timer's 32 bits and fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** @throws the reason of the signal, if it is aborted */
const sleepOnce = async (ms: number, signal?: AbortSignal): Promise<void> => {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch {
    signal?.throwIfAborted();
  }
};

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
