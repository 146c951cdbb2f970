import type { ListPosition } from '../../../executions/record/execution-store.ts';

/** A key of a list. */
export interface ListedKey extends ListPosition {
  /** Of one that no record is read for: what passing it costs instead, in records. */
  readonly skipCost?: number;
}

interface Collected<Found> {
  readonly found: readonly Found[];
  /** Where the next page begins; null at the end. */
  readonly next: ListPosition | null;
}

interface CollectOptions {
  readonly limit: number;
  /** Records that are read at once. */
  readonly batchSize: number;
  /** At most so many are read: then the page ends, however few were found. */
  readonly maxRecords: number;
}

/**
 * Reads a page of a list: keys, then their records, until there are enough.
 *
 * @param read - what the list shows, with its key; those that a filter drops are left out
 */
export const collectPage = async <Found>(
  keys: AsyncGenerator<ListedKey>,
  { limit, batchSize, maxRecords }: CollectOptions,
  read: (ids: readonly string[]) => Promise<readonly (readonly [id: string, Found])[]>,
): Promise<Collected<Found>> => {
  const collected: { readonly found: Found; readonly place: ListPosition | undefined }[] = [];
  let next: ListPosition | undefined;
  for (let left = maxRecords; collected.length <= limit; ) {
    const batch: ListedKey[] = [];
    const places = new Map<string, ListPosition>();
    while (left > 0 && places.size < batchSize) {
      const { value: key, done } = await keys.next();
      if (done === true) break;
      batch.push(key);
      left -= key.skipCost ?? 1;
      if (key.skipCost === undefined) places.set(key.executionId, toPosition(key));
    }
    for (const [id, found] of await read([...places.keys()]))
      collected.push({ found, place: places.get(id) });
    const last = batch.at(-1);
    next = last === undefined ? undefined : toPosition(last);
    if (last === undefined || left <= 0) break;
  }
  if (collected.length > limit) next = collected[limit - 1]?.place;
  return { found: collected.slice(0, limit).map(({ found }) => found), next: next ?? null };
};

const toPosition = ({ part, at, executionId }: ListPosition): ListPosition => ({ part, at, executionId });
