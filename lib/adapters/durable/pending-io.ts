/** Tracks I/O outside steps. */
export interface PendingIo {
  readonly isPending: boolean;
  track<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves when everything that is tracked now has settled. */
  allSettled(): Promise<void>;
}

/**
 * The SDK suspends a run as soon as no step is running and an operation is pending. It can't see I/O between steps (a
 * plan, a large result, the record), and would suspend a run that could continue. A run that was suspended with pending
 * I/O is resumed at once.
 */
export const createPendingIo = (): PendingIo => {
  const pending = new Set<Promise<unknown>>();
  return {
    get isPending() {
      return pending.size > 0;
    },
    track: async (work) => {
      pending.add(work);
      try {
        return await work;
      } finally {
        pending.delete(work);
      }
    },
    allSettled: async () => {
      await Promise.allSettled(pending);
    },
  };
};
