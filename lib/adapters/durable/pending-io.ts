/**
 * Tracks I/O outside steps. The SDK suspends a run as soon as no step is running and an operation is pending. It can't see
 * I/O between steps (a plan, a large result, the record), and would suspend a run that could continue. A run that was
 * suspended with pending I/O is resumed at once.
 */
export const createPendingIo = () => {
  const pending = new Set<Promise<unknown>>();
  return {
    get isPending() {
      return pending.size > 0;
    },
    track: async <Value>(work: Promise<Value>): Promise<Value> => {
      pending.add(work);
      try {
        return await work;
      } finally {
        pending.delete(work);
      }
    },
    /** Resolves when everything that is tracked now has settled. */
    allSettled: async (): Promise<void> => {
      await Promise.allSettled(pending);
    },
  };
};

export type PendingIo = ReturnType<typeof createPendingIo>;
