import { availableParallelism } from 'node:os';

/** A concurrency limit with a queue. */
interface Slots {
  /**
   * Waits for a slot.
   * @returns the function that releases it
   * @throws the signal's reason when it aborts in the queue
   */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** Rejects all waiting and later calls. */
  close(reason: Error): void;
}

export interface SlotCounts {
  /** Number of slots at the start and without congestion. */
  readonly usual: number;
  readonly most: number;
  /** How long the first in the queue waits until a slot is added. */
  readonly growAfterMs: number;
}

interface Waiter {
  readonly since: number;
  resolve(release: () => void): void;
  reject(reason: unknown): void;
}

/**
 * A concurrency limit that adapts: CPU-bound work is fastest with one process per core, I/O-bound work needs more. Slots
 * are added one by one while the queue does not move, and removed when it does.
 * @param isReady - false while work in the slots is still starting, which explains a queue that does not move
 */
export const createSlots = (
  { usual, most, growAfterMs }: SlotCounts,
  isReady: () => boolean = () => true,
): Slots => {
  const now = () => performance.now();
  let count = usual;
  let taken = 0;
  let closed: Error | null = null;
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Set<Waiter>();

  /** Assigns free slots to the queue in order, including a released one, so that no later call overtakes. */
  const admit = (): void => {
    for (const waiter of waiting) {
      if (taken >= count) break;
      waiting.delete(waiter);
      taken++;
      waiter.resolve(actOnce(release));
    }
    watchQueue();
  };

  const release = (): void => {
    taken--;
    const [first] = waiting;
    const isMoving = first === undefined || now() - first.since < growAfterMs / 2;
    if (count > usual && isMoving) count--;
    admit();
  };

  /** Adds a slot when the first in the queue has waited long enough; checks again for the next one. */
  const watchQueue = (): void => {
    const [first] = waiting;
    if (timer !== undefined || first === undefined || count >= most) return;
    timer = setTimeout(() => {
      timer = undefined;
      const [oldest] = waiting;
      if (oldest !== undefined && now() - oldest.since >= growAfterMs && isReady()) count++;
      admit();
    }, growAfterMs);
    timer.unref();
  };

  return {
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        if (closed !== null) return reject(closed);
        if (signal?.aborted) return reject(signal.reason);
        const abort = () => {
          waiting.delete(waiter);
          reject(signal?.reason);
        };
        const waiter: Waiter = {
          since: now(),
          resolve: (releaseOnce) => {
            signal?.removeEventListener('abort', abort);
            resolve(releaseOnce);
          },
          reject,
        };
        waiting.add(waiter);
        signal?.addEventListener('abort', abort, { once: true });
        admit();
      }),
    close: (reason) => {
      closed = reason;
      clearTimeout(timer);
      for (const { reject } of waiting) reject(reason);
      waiting.clear();
    },
  };
};

const actOnce = (act: () => void): (() => void) => {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
};

// Each process uses about 70 MB and ends when idle.

const usual = Math.max(2, availableParallelism());

/** The limits of the pool for requests. */
export const REQUEST_PROCESSES: SlotCounts = { usual, most: Math.max(usual, 12), growAfterMs: 250 };

/** Limits of the pool for background runs, which is separate, since a run may call the HTTP API. */
export const BACKGROUND_PROCESSES: SlotCounts = { usual, most: Math.max(usual, 8), growAfterMs: 250 };

/** The limit for a single invocation. */
export const ONE_PROCESS: SlotCounts = { usual: 1, most: 1, growAfterMs: 250 };
