import { longestTimerMs } from '../runtime/system-clock.ts';

/**
 * Runs `work` with a signal that aborts with the caller's signal, or when the time is up. Leaves no timer and no
 * listener behind.
 * @throws the reason of the caller's signal, or what `onTimeout` returns
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
    // After an abort every other error is its consequence.
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    limit.signal.removeEventListener('abort', onAbort);
  }
};
