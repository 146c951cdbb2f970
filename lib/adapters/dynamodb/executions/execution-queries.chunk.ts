import {
  type DueGroup,
  EXECUTION_STATUSES,
  type ExecutionPage,
  type ExecutionQuery,
  type ExecutionStatus,
  type ExecutionSummary,
  hasEndedBadly,
  hasFailedAs,
  isFinal,
  isTrial,
  type ListPosition,
} from '../../../executions/record/execution-store.ts';
import { type Item, readText } from '../attributes.ts';
import { getItem, getItems, type Table } from '../items.ts';
import {
  isExpired,
  readFailure,
  readRetryOf,
  shardsOf,
  timeShards,
  toIso,
  toSummary,
  trialsOf,
  workflowPartitions,
} from './execution-item.ts';
import { QUEUES_SHARD, queueOfPartition, queuePartitions } from './queue-keys.ts';
import {
  ALL_TIMES,
  collectPage,
  type ListedKey,
  mergePartitions,
  type Partitions,
  SUMMARY_ATTRIBUTES,
} from './read-lists.ts';

/** Maximum number of records read in one call. If many have other statuses, the list is short and has a cursor. */
const MAX_RECORDS = 1_000;
/** How many records are read in one call if a filter may drop some. */
const BATCH_SIZE = 100;
/** What reading one queue of held executions costs, in records. */
const RECORDS_PER_QUEUE = 20;

/**
 * Lists executions by reading keys from an index and then their records. The number of calls does not depend on how
 * many executions or workflows there are. Open executions of all workflows are ordered by their next sweep, all others
 * by their start, latest first.
 */
export const listExecutions = async (
  table: Table,
  query: ExecutionQuery,
  now: number,
): Promise<ExecutionPage> => {
  const { requestId, workflowId, failure, bulkRetryId, from = 0, to = MAX_TIME, limit, after } = query;
  const statuses = EXECUTION_STATUSES.filter(
    (status) =>
      query.statuses?.includes(status) !== false && (failure === undefined || hasEndedBadly(status)),
  );
  if (statuses.length === 0) return { executions: [], next: null };
  const isFiltered =
    statuses.length < EXECUTION_STATUSES.length ||
    requestId !== undefined ||
    bulkRetryId !== undefined ||
    (workflowId === null && query.isTrial !== undefined);
  const isOfOpen = workflowId === null && !statuses.some(isFinal);
  const partitions = partitionsOf(workflowId, statuses, query.isTrial);
  const keys: AsyncGenerator<ListedKey> = isOfOpen
    ? readOpenKeys(table, statuses.includes('accepted'), after)
    : mergePartitions(table, partitions, {
        order: 'descending',
        range: [toIso(from), toIso(to)],
        after,
        pageSize: isFiltered ? BATCH_SIZE : Math.ceil(limit / partitions.keys.length) + 5,
      });
  const isListed = (item: Item, execution: ExecutionSummary): boolean => {
    const { workflowId: id, status, startedAt } = execution;
    return (
      !isExpired(item, now) &&
      (requestId === undefined || item.requestId?.S === requestId) &&
      (failure === undefined || hasFailedAs({ failure: readFailure(item) }, failure)) &&
      (bulkRetryId === undefined || readRetryOf(item)?.bulkRetryId === bulkRetryId) &&
      (query.isTrial ?? isTrial(execution)) === isTrial(execution) &&
      (workflowId ?? id) === id &&
      statuses.includes(status) &&
      startedAt >= from &&
      startedAt <= to &&
      (after?.part !== WAITING_PART || isAfter(execution, after))
    );
  };

  const attributes = [...SUMMARY_ATTRIBUTES, ...(failure === undefined ? [] : ['failure'])];
  const read = async (ids: readonly string[]) =>
    (await getItems(table, 'executionId', ids, attributes)).flatMap((item) => {
      const execution = toSummary(item);
      return isListed(item, execution) ? [[execution.executionId, execution] as const] : [];
    });
  const isOfWaiting = workflowId !== null && statuses.every((status) => status === 'waiting');
  const waiting =
    isOfWaiting && (after === undefined || after.part === WAITING_PART) ? await readOpenIds(table) : null;
  if (waiting !== null) return toWaitingPage(await read(waiting), limit);
  const batchSize = isFiltered ? BATCH_SIZE : limit + 1;
  const page = await collectPage(keys, { limit, batchSize, maxRecords: MAX_RECORDS }, read);
  return { executions: page.found, next: page.next };
};

/** The part of positions in a list that was sorted here. No workflow id has a colon. */
const WAITING_PART = ':waiting';

const compareStarts = (
  one: Pick<ExecutionSummary, 'startedAt' | 'executionId'>,
  other: Pick<ExecutionSummary, 'startedAt' | 'executionId'>,
): number => other.startedAt - one.startedAt || (one.executionId < other.executionId ? -1 : 1);

const isAfter = (execution: ExecutionSummary, { at, executionId }: ListPosition): boolean =>
  execution.executionId !== executionId &&
  compareStarts({ startedAt: Date.parse(at), executionId }, execution) < 0;

/**
 * The ids of all open background executions, which every waiting one is; null if they are more than one call reads.
 * Most executions of a workflow have ended, so that these are fewer.
 */
const readOpenIds = async (table: Table): Promise<readonly string[] | null> => {
  const shards = [...shardsOf('active'), ...shardsOf('waiting')];
  const partitions: Partitions = { index: 'bySweep', keys: shards };
  const options = { order: 'ascending', range: ALL_TIMES, pageSize: BATCH_SIZE } as const;
  const ids = new Set<string>();
  for await (const { executionId } of mergePartitions(table, partitions, options))
    if (ids.add(executionId).size > MAX_RECORDS) return null;
  return [...ids];
};

const toWaitingPage = (
  found: readonly (readonly [string, ExecutionSummary])[],
  limit: number,
): ExecutionPage => {
  const sorted = found.map(([, execution]) => execution).sort(compareStarts);
  const executions = sorted.slice(0, limit);
  const last = executions.at(-1);
  const next =
    last === undefined || sorted.length === executions.length
      ? null
      : { part: WAITING_PART, at: toIso(last.startedAt), executionId: last.executionId };
  return { executions, next };
};

const partitionsOf = (
  workflowId: string | null,
  statuses: readonly ExecutionStatus[],
  ofTrials: boolean | undefined,
): Partitions => {
  const hasBad = statuses.some(hasEndedBadly);
  const hasOthers = !statuses.every(hasEndedBadly);
  if (workflowId !== null) {
    const keys = [
      ...(ofTrials === true ? [] : workflowPartitions(workflowId)),
      ...(ofTrials === false ? [] : [trialsOf(workflowId)]),
    ];
    return { index: hasOthers ? 'byWorkflow' : 'byFailure', keys };
  }
  const keys = [...(hasOthers ? timeShards(false) : []), ...(hasBad ? timeShards(true) : [])];
  return { index: 'byTime', keys };
};

/** Open background executions by their next sweep, and then held ones, queue by queue. */
async function* readOpenKeys(
  table: Table,
  withHeld: boolean,
  after: ListPosition | undefined,
): AsyncGenerator<ListedKey> {
  const options = { order: 'ascending', range: ALL_TIMES, pageSize: BATCH_SIZE } as const;
  const read = (keys: readonly string[], from: ListPosition | undefined) =>
    mergePartitions(table, { index: 'bySweep', keys }, { ...options, after: from });
  const begun = after === undefined ? null : queueOfPartition(after.part);
  if (begun === null) {
    const shards = [...shardsOf('active'), ...shardsOf('waiting')];
    const partitions: Partitions = { index: 'bySweep', keys: shards };
    yield* mergePartitions(table, partitions, { ...options, pageSize: 10, after });
  }
  if (!withHeld) return;
  const readQueue = async function* (key: string, from: ListPosition | undefined): AsyncGenerator<ListedKey> {
    yield* read(queuePartitions(key), from);
    yield { part: key, at: LAST, executionId: 'end', skipCost: RECORDS_PER_QUEUE };
  };
  let queue: ListPosition | undefined;
  if (begun !== null) {
    yield* readQueue(begun, after);
    const item = await getItem(table, { executionId: begun }, false);
    // If it was closed in the meantime, continue with the first queue.
    if (item !== null) queue = { part: QUEUES_SHARD, at: readText(item, 'sweepAt'), executionId: begun };
  }
  for await (const { executionId: key } of read([QUEUES_SHARD], queue)) yield* readQueue(key, undefined);
}

/** Sort keys before and after all times. */
const [FIRST, LAST] = ALL_TIMES;

/** The last year of four digits: later times do not sort as text. */
const MAX_TIME = Date.parse(LAST);

const DUE_PAGE_SIZE = 100;

/** Finds the due executions, longest overdue first. */
export async function* findDueExecutions(table: Table, now: number, group: DueGroup): AsyncGenerator<string> {
  const partitions: Partitions = { index: 'bySweep', keys: shardsOf(group) };
  const options = { order: 'ascending', range: [FIRST, toIso(now)], pageSize: DUE_PAGE_SIZE } as const;
  for await (const { executionId } of mergePartitions(table, partitions, options)) yield executionId;
}
