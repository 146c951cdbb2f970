import type { ListPosition } from '../../../executions/record/execution-store.ts';

/** A key of a list. */
export interface ListedKey extends ListPosition {
  /** The cost of skipping a key that has no record to read, counted in records. */
  readonly skipCost?: number;
}

interface Collected<Found> {
  readonly found: readonly Found[];
  /** Where the next page starts; null at the end. */
  readonly next: ListPosition | null;
}

interface CollectOptions {
  readonly limit: number;
  /** How many records are read at once. */
  readonly batchSize: number;
  /** Maximum number of records read; the page then ends, however few were found. */
  readonly maxRecords: number;
}

/**
 * Reads a page of a list: keys and then their records, until there are enough.
 * @param read - reads what the list shows, with its key, leaving out what a filter drops
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
