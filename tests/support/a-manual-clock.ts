import type { Clock } from '@hookloom/plugin-kit';

export interface ManualClock extends Clock {
  /** Lets time pass, and fires the timers that are due. */
  advance(ms: number): void;
  /** How many sleep. */
  sleepers(): number;
}

/** A clock that stands still until the test moves it on. */
export const aManualClock = (startMs = 1_700_000_000_000): ManualClock => {
  let time = startMs;
  const sleeping = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper = { until: time + ms, wake: resolve };
        sleeping.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleeping.delete(sleeper);
          reject(signal.reason);
        });
      }),
    advance: (ms) => {
      time += ms;
      for (const sleeper of sleeping) {
        if (sleeper.until > time) continue;
        sleeping.delete(sleeper);
        sleeper.wake();
      }
    },
    sleepers: () => sleeping.size,
  };
};
