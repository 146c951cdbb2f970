import type { Clock } from '@hookloom/plugin-kit';

/**
 * Runs a plugin's function with a deadline of `ms` milliseconds, at which its signal is aborted. A plugin that blocks
 * the thread can't be interrupted; the timeout of the Lambda function ends it. Time during which another plugin blocks
 * the thread does not count.
 * @throws Error at the deadline, and any error of `run`
 */
export const withinDeadline = async <Value>(
  clock: Clock,
  ms: number,
  run: (signal: AbortSignal) => Value | Promise<Value>,
): Promise<Value> => {
  const work = new AbortController();
  const timer = new AbortController();
  const startedAt = clock.now();
  const sleep = async (): Promise<void> => {
    await clock.sleep(ms, timer.signal);
    const lateMs = clock.now() - startedAt - ms;
    if (lateMs > 0) await clock.sleep(Math.min(lateMs, ms), timer.signal);
  };
  const deadline = sleep().then(() => {
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
