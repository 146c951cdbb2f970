import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../lib/contract/services.ts';

interface Timer {
  readonly at: number;
  fire(): void;
}

/** A clock that jumps to the next timer when nothing else is running: days of waiting take no time, in the right order. */
export const aVirtualClock = (start = 1_700_000_000_000) => {
  let now = start;
  const timers = new Set<Timer>();

  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const timer = { at: now + ms, fire: resolve };
        timers.add(timer);
        signal?.addEventListener('abort', () => {
          timers.delete(timer);
          reject(signal.reason);
        });
      }),
  };

  /**
   * Lets time pass until the promise has settled.
   *
   * @throws Error when no timer is left
   */
  const run = async <Value>(promise: Promise<Value>): Promise<Value> => {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      await setImmediate(); // everything that can go on without time has gone on
      if (isSettled) return promise;
      const next = [...timers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined) throw new Error('it waits for something that never comes');
      timers.delete(next);
      now = Math.max(now, next.at); // late, when the thread was blocked
      next.fire();
    }
  };

  /** Lets time pass without any timer, as code that blocks the thread does. */
  const block = (ms: number): void => {
    now += ms;
  };

  return { clock, run, block, pending: () => timers.size };
};
