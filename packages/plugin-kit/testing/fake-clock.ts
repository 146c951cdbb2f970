import type { Clock } from '../contract/services.ts';

export interface FakeClock extends Clock {
  /** Milliseconds of each sleep so far. */
  readonly sleeps: readonly number[];
}

/** A clock that moves only while something sleeps, which takes no time. @param now - milliseconds since the epoch */
export const createFakeClock = (now: number): FakeClock => {
  const sleeps: number[] = [];
  let time = now;
  return {
    sleeps,
    now: () => time,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      sleeps.push(ms);
      time += ms;
    },
  };
};
