/** A bounded number of places; who finds none waits in line. */
export interface Slots {
  /** Resolves with the function that gives the place back. @throws the signal's reason when it aborts in line */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** Refuses all that waits, and all that comes. */
  close(reason: Error): void;
}

export const createSlots = (count: number): Slots => {
  let free = count;
  let closed: Error | null = null;
  const waiting = new Set<{ resolve(release: () => void): void; reject(reason: unknown): void }>();

  const release = () => {
    // Handed on, not given back: a newcomer can't get in between.
    const [next] = waiting;
    if (next === undefined) {
      free++;
      return;
    }
    waiting.delete(next);
    next.resolve(once(release));
  };

  return {
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        if (closed !== null) return reject(closed);
        if (signal?.aborted) return reject(signal.reason);
        if (free > 0) {
          free--;
          return resolve(once(release));
        }
        const abort = () => {
          waiting.delete(waiter);
          reject(signal?.reason);
        };
        const waiter = {
          resolve: (give: () => void) => {
            signal?.removeEventListener('abort', abort);
            resolve(give);
          },
          reject,
        };
        waiting.add(waiter);
        signal?.addEventListener('abort', abort, { once: true });
      }),
    close: (reason) => {
      closed = reason;
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
