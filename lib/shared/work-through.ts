interface WorkOptions {
  /** How many are worked on at the same time. */
  readonly atOnce: number;
  /** Asked before each. */
  readonly mayGoOn: () => boolean;
}

/**
 * Works on what an iteration gives, in its order, several at once. When it may not go on, or one has failed, no other is begun.
 *
 * @returns whether it has reached the end
 * @throws what the first one that failed has thrown, once the others have ended
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
