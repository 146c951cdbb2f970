/** Knows of the work on the network that is done outside of steps. */
export interface PendingIo {
  readonly isPending: boolean;
  track<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves when all that is tracked now is done, one way or the other. */
  whenIdle(): Promise<void>;
}

/**
 * The SDK suspends a run as soon as no step is at work and something is waited for. It can't see what we fetch and
 * write in between (a plan, a large result, the record), and would suspend a run that has something to do. Whoever
 * ends the invocation looks here: a run that was suspended too early is resumed at once instead of slept on.
 */
export const createPendingIo = (): PendingIo => {
  const open = new Set<Promise<unknown>>();
  return {
    get isPending() {
      return open.size > 0;
    },
    track: async (work) => {
      open.add(work);
      try {
        return await work;
      } finally {
        open.delete(work);
      }
    },
    whenIdle: async () => {
      await Promise.allSettled(open);
    },
  };
};
