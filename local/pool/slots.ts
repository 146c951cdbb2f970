/** Places for what is done at the same time; who finds none waits in line. */
interface Slots {
  /** Resolves with the function that gives the place back. @throws the signal's reason when it aborts in line */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** Refuses all that waits, and all that comes. */
  close(reason: Error): void;
}

export interface SlotCounts {
  /** As many as there are at first. */
  readonly usual: number;
  /** As many as there can be. */
  readonly most: number;
  /** How long the first in line waits until there is a place more. */
  readonly growAfterMs: number;
}

interface Waiter {
  readonly since: number;
  resolve(release: () => void): void;
  reject(reason: unknown): void;
}

/**
 * Work that computes is done soonest by as few processes as there are cores; work that waits needs more. So places are
 * added, one by one, as long as the line does not move, and taken away when it does.
 * @param isSettled false while those inside have yet to begin: then the line stands for another reason
 */
export const createSlots = (
  { usual, most, growAfterMs }: SlotCounts,
  isSettled: () => boolean = () => true,
): Slots => {
  const now = () => performance.now();
  let places = usual;
  let taken = 0;
  let closed: Error | null = null;
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Set<Waiter>();

  /** Gives free places to those in line. A place that is given back is handed on here: a newcomer can't get in between. */
  const admit = (): void => {
    for (const waiter of waiting) {
      if (taken >= places) break;
      waiting.delete(waiter);
      taken++;
      waiter.resolve(once(release));
    }
    watchLine();
  };

  const release = (): void => {
    taken--;
    const [first] = waiting;
    const isMoving = first === undefined || now() - first.since < growAfterMs / 2;
    if (places > usual && isMoving) places--;
    admit();
  };

  /** Adds a place when the first in line has waited long enough; looks again when another one may have. */
  const watchLine = (): void => {
    const [first] = waiting;
    if (timer !== undefined || first === undefined || places >= most) return;
    timer = setTimeout(() => {
      timer = undefined;
      const [oldest] = waiting;
      if (oldest !== undefined && now() - oldest.since >= growAfterMs && isSettled()) places++;
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
          resolve: (give) => {
            signal?.removeEventListener('abort', abort);
            resolve(give);
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

const once = (act: () => void): (() => void) => {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
};
