import type { Clock } from '../contract/services.ts';

/**
 * Runs a plugin's function with a deadline of `ms` milliseconds, at which its signal is aborted. A plugin that blocks
 * the thread can't be interrupted; the timeout of the Lambda function ends it.
 * @throws Error at the deadline, and any error of `run`
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
