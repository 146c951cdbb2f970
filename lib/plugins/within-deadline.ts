import type { Clock } from '../contract/services.ts';

/**
 * Runs what a plugin does, for `ms` milliseconds at most; its signal is aborted when they are over. A plugin that
 * keeps the thread busy can't be interrupted: that is for the function's own timeout.
 * @throws {Error} that says so when the time is over, and whatever `run` throws
 */
export const withinDeadline = async <Value>(
  clock: Clock,
  ms: number,
  run: (signal: AbortSignal) => Value | Promise<Value>,
): Promise<Value> => {
  const work = new AbortController();
  const timer = new AbortController();
  const deadline = clock.sleep(ms, timer.signal).then(() => {
    const error = new Error(`no result within ${ms} ms`);
    work.abort(error);
    throw error;
  });
  try {
    return await Promise.race([Promise.resolve().then(() => run(work.signal)), deadline]);
  } finally {
    timer.abort();
  }
};
