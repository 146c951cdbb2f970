import { longestTimerMs } from '../runtime/system-clock.ts';

/** The time limit of work in several phases. It has a timer and a listener until the work is done or the time is up. */
interface Deadline {
  /** The signal that is aborted with the caller's signal, or when the time is up. */
  readonly signal: AbortSignal;
  /**
   * Awaits one phase; if it fails, the deadline ends.
   * @throws the signal's reason if it is aborted, since any other error is then a consequence of that
   */
  guard<Result>(phase: Promise<Result>): Promise<Result>;
  /** Guards the last phase: the deadline ends with the stream. Reading throws as `guard` does. */
  guardStream<Chunk>(stream: AsyncIterable<Chunk>): AsyncGenerator<Chunk>;
  /** Ends the deadline after the last phase, if that is not a stream. */
  end(): void;
}

/** @throws the reason of the caller's signal if it is already aborted */
export const startDeadline = (limit: {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onTimeout: () => Error;
}): Deadline => {
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
    signal,
    guard: async (phase) => {
      try {
        return await phase;
      } catch (error) {
        end();
        signal.throwIfAborted();
        throw error;
      }
    },
    guardStream: async function* (stream) {
      try {
        yield* stream;
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        end();
      }
    },
    end,
  };
};
