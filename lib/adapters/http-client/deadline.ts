import { longestTimerMs } from '../runtime/system-clock.ts';

/** The time limit of work in several phases. It holds a timer and a listener until the work, or the time, is over. */
interface Deadline {
  /** Aborted with the caller's signal, or when the time is up. */
  readonly signal: AbortSignal;
  /**
   * Awaits one phase; the deadline ends when it fails.
   * @throws the reason of the signal when that is aborted, since every other error is its consequence
   */
  guard<Result>(phase: Promise<Result>): Promise<Result>;
  /** The last phase: the deadline ends with the stream. Reading throws as `guard` does. */
  guardStream<Chunk>(stream: AsyncIterable<Chunk>): AsyncGenerator<Chunk>;
  /** Ends it after the last phase, where that is no stream. */
  end(): void;
}

/** @throws the reason of the caller's signal when it is aborted already */
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
