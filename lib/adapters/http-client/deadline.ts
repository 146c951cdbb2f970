import { longestTimerMs } from '../runtime/system-clock.ts';

/**
 * Runs the work with a signal that is aborted when the caller's is, with its reason, or when the time is up, with
 * the reason that `onTimeout` makes. Leaves no timer and no listener behind.
 */
export const withDeadline = async <Result>(
  limit: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly onTimeout: () => Error },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  limit.signal.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(limit.signal.reason);
  const timer = setTimeout(
    () => controller.abort(limit.onTimeout()),
    Math.min(limit.timeoutMs, longestTimerMs),
  );
  limit.signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    // Whatever broke, broke because of the abort.
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    limit.signal.removeEventListener('abort', onAbort);
  }
};
