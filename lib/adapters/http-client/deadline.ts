import { longestTimerMs } from '../runtime/system-clock.ts';

/**
 * Starts the time limit of work in several phases. It has a timer and a listener until the work is done or the time is up.
 * @throws the reason of the caller's signal if it is already aborted
 */
export const startDeadline = (limit: {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onTimeout: () => Error;
}) => {
  limit.signal.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (reason: unknown): void => {
    end();
    controller.abort(reason);
  };
  const onAbort = () => abort(limit.signal.reason);
  const timer = setTimeout(() => abort(limit.onTimeout()), Math.min(limit.timeoutMs, longestTimerMs));
  limit.signal.addEventListener('abort', onAbort, { once: true });
  const end = (): void => {
    clearTimeout(timer);
    limit.signal.removeEventListener('abort', onAbort);
  };
  return {
    /** Aborted with the caller's signal, or when the time is up. */
    signal,
    /**
     * Awaits one phase; if it fails, the deadline ends.
     * @throws the signal's reason if it is aborted, since any other error is then a consequence of that
     */
    guard: async <Result>(phase: Promise<Result>): Promise<Result> => {
      try {
        return await phase;
      } catch (error) {
        end();
        signal.throwIfAborted();
        throw error;
      }
    },
    /** Guards the last phase: the deadline ends with the stream. Reading throws as `guard` does. */
    guardStream: async function* <Chunk>(stream: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
      try {
        yield* stream;
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        end();
      }
    },
    /** Ends the deadline after the last phase, if that is not a stream. */
    end,
  };
};
