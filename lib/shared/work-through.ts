interface WorkOptions {
  /** How many items may be worked on concurrently. */
  readonly atOnce: number;
  /** Returns whether to start on the next item. */
  readonly mayGoOn: () => boolean;
}

/**
 * Processes the items of an iteration in order, several concurrently. Once `mayGoOn` returns false or an item has
 * failed, no further item is started.
 *
 * @returns whether all items were processed
 * @throws the first failure, after the other items have finished
 */
export const workThrough = async <Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { atOnce, mayGoOn }: WorkOptions,
  work: (item: Item) => Promise<void>,
): Promise<boolean> => {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let hasEnded = false;
  let hasFailed = false;
  const workOn = async (): Promise<void> => {
    while (!hasEnded && !hasFailed && mayGoOn()) {
      const next = await iterator.next();
      if (next.done === true) hasEnded = true;
      else await work(next.value);
    }
  };
  const ends = await Promise.allSettled(
    Array.from({ length: atOnce }, () =>
      workOn().catch((error) => {
        hasFailed = true;
        throw error;
      }),
    ),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return hasEnded;
};
