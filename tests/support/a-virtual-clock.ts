import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@hookloom/plugin-kit';

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
   * @param isBusy - whether something goes on that takes none of this time, such as an exchange over the network
   * @throws Error when no timer is left
   */
  const run = async <Value>(promise: Promise<Value>, isBusy = () => false): Promise<Value> => {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      await setImmediate(); // everything that can go on without time has gone on
      if (isSettled) return promise;
      if (isBusy()) continue;
      let next: Timer | undefined;
      for (const timer of timers) if (next === undefined || timer.at < next.at) next = timer;
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
