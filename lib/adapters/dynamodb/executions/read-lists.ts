import type { ListPosition } from '../../../executions/record/execution-store.ts';
import { readText, toItem } from '../attributes.ts';
import { mergeQueries, type Table } from '../items.ts';

/** The partitions of an index over which a list is spread. */
export interface Partitions {
  readonly index: 'byWorkflow' | 'byFailure' | 'byTime' | 'bySweep';
  /** Always in the same order. */
  readonly keys: readonly string[];
}

/** The attributes that a list shows, and those by which it is filtered, except for the failure, which may be long. */
export const SUMMARY_ATTRIBUTES = [
  'executionId',
  'workflowId',
  'workflowVersion',
  'mode',
  'status',
  'startedAt',
  'endedAt',
  'expiresAt',
  'requestId',
  'retryOf',
  'held',
];

interface MergeOptions {
  readonly order: 'ascending' | 'descending';
  /** The first and the last sort key, inclusive. */
  readonly range: readonly [first: string, last: string];
  /** Position to read from; if absent, reads from the start. */
  readonly after?: ListPosition | undefined;
  readonly pageSize: number;
}

/** The range of all sort keys that are times, or places in a queue. */
export const ALL_TIMES = ['0', '9999-12-31T23:59:59.999Z'] as const;

/** The partition and sort keys of the indexes of executions. */
const KEYS: Readonly<Record<Partitions['index'], readonly [hash: string, range: string]>> = {
  byWorkflow: ['workflowId', 'startedAt'],
  byFailure: ['failedWorkflowId', 'startedAt'],
  byTime: ['timeShard', 'startedAt'],
  bySweep: ['sweepShard', 'sweepAt'],
};

/**
 * Reads the keys of several partitions as one list, ordered by sort key, then by partition, then in the partition's own
 * order, so that a position in one of them is a position in all.
 * @throws AppError `STORE_UNAVAILABLE`, on reading
 */
export async function* mergePartitions(
  table: Table,
  { index, keys }: Partitions,
  { order, range: [first, last], after, pageSize }: MergeOptions,
): AsyncGenerator<ListPosition> {
  const [hash, range] = KEYS[index];
  const isAscending = order === 'ascending';
  const from = after !== undefined && isAscending ? after.at : first;
  const to = after !== undefined && !isAscending ? after.at : last;
  if (from > to) return;
  const queries = keys.map((key) => ({
    IndexName: index,
    KeyConditionExpression: `${hash} = :key AND ${range} BETWEEN :from AND :to`,
    values: { ':key': key, ':from': from, ':to': to },
    ScanIndexForward: isAscending,
    Limit: pageSize,
    ExclusiveStartKey:
      after?.part === key
        ? toItem({ [hash]: key, [range]: after.at, executionId: after.executionId })
        : undefined,
  }));
  const passed = after === undefined ? -1 : keys.indexOf(after.part);
  for await (const [item, position] of mergeQueries(table, range, queries)) {
    const at = readText(item, range);
    // Keys of earlier partitions with the same sort key have already been read.
    if (after === undefined || position >= passed || at !== after.at)
      yield { part: keys[position] ?? '', at, executionId: readText(item, 'executionId') };
  }
}

/** The key of an entry of a list. */
export interface ListedKey extends ListPosition {
  /** The cost of skipping a key that has no record to read, counted in records. */
  readonly skipCost?: number;
}

interface CollectOptions {
  readonly limit: number;
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
) => {
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
