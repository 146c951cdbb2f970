import * as v from 'valibot';
import { readCursor, writeCursor } from '../../executions/record/cursor.ts';
import type { ListPosition } from '../../executions/record/execution-store.ts';
import { QUERY_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { cursor, idText, optional, pageSize, text, time, wordList } from '../../shared/query-fields.ts';
import { latestFirst, type PlaceKind, type RequestRecord, toMinute, VERDICTS } from './request-record.ts';
import type { RequestStore } from './request-store.ts';

/** How many records a call scans. */
const MAX_READ = 2_000;

/** The filters of a list of requests, as strings, for the admin API and the command line. */
export const requestQuery = v.object({
  workflowId: idText('must be a workflow id'),
  verdict: wordList(VERDICTS),
  key: optional(text, 'Key of the delivery'),
  sender: optional(text, 'IP address of the sender'),
  request: optional(text, "The gateway's request id"),
  /** Start of the period, in milliseconds since the epoch; `from` and `to` are included. */
  from: time,
  to: time,
  limit: pageSize,
  cursor,
});

type RequestListQuery = Readonly<v.InferOutput<typeof requestQuery>>;

/**
 * Lists the recorded requests of a workflow. A page may have fewer than `limit` although more exist: the next page
 * starts at its cursor.
 *
 * @param now - milliseconds since the epoch
 * @throws AppError `QUERY_INVALID` | `STORE_UNAVAILABLE`
 */
export const listRequests = async (
  query: RequestListQuery,
  store: Pick<RequestStore, 'scan'>,
  now: number,
) => {
  const { workflowId, verdict, key, sender, request, from, to, limit, cursor } = query;
  if (from !== null && to !== null && from > to)
    throw new AppError(QUERY_INVALID, { reason: 'from must not be later than to' });
  const list = JSON.stringify([workflowId, verdict.toSorted(), key, sender, request, from, to]);
  const after = cursor === null ? null : toListPlace(readCursor(cursor, list));
  const range = {
    from: from ?? 0,
    to: Math.min(to ?? now + CLOCKS_DIFFER_MS, after?.receivedAt ?? Number.POSITIVE_INFINITY),
  };

  const found: RequestRecord[] = [];
  let last: RequestRecord | null = null;
  let read = 0;
  for await (const record of mergeLatestFirst(
    kindsOf(verdict).map((kind) => byTime(store.scan({ workflowId, kind, ...range }))),
  )) {
    if (after !== null && latestFirst(record, after) <= 0) continue;
    if (record.receivedAt < range.from || record.receivedAt > range.to) continue;
    if (found.length === limit || read === MAX_READ)
      return { requests: found, nextCursor: toCursor(last, list) };
    read += 1;
    last = record;
    if (isWanted(record, query)) found.push(record);
  }
  return { requests: found, nextCursor: null };
};

/** Allowed clock difference between the gateway and this process. */
const CLOCKS_DIFFER_MS = 3_600_000;

const toListPlace = ({ at, executionId }: ListPosition) => ({ receivedAt: Number(at), place: executionId });

const toCursor = (last: RequestRecord | null, list: string): string | null =>
  last === null
    ? null
    : writeCursor({ part: 'all', at: String(last.receivedAt), executionId: last.place }, list);

const kindsOf = (verdicts: readonly string[]): readonly PlaceKind[] => {
  const isRefused = (verdict: string) => verdict === 'refused';
  if (verdicts.length === 0) return ['refused', 'passed'];
  return [
    ...(verdicts.some(isRefused) ? ['refused' as const] : []),
    ...(verdicts.every(isRefused) ? [] : ['passed' as const]),
  ];
};

const isWanted = (record: RequestRecord, { verdict, key, sender, request }: RequestListQuery): boolean =>
  (verdict.length === 0 || verdict.includes(record.verdict)) &&
  (key === null || record.key === key) &&
  (sender === null || record.sender === sender) &&
  (request === null || record.requestId === request);

/** Sorts records within each minute: the places of refused ones are ordered only by minute. */
async function* byTime(records: AsyncIterable<RequestRecord>): AsyncGenerator<RequestRecord> {
  let minute: RequestRecord[] = [];
  for await (const record of records) {
    const [first] = minute;
    if (first !== undefined && (first.place[0] === 'p' || !isSameMinute(first, record))) {
      yield* minute.sort(latestFirst);
      minute = [];
    }
    minute.push(record);
  }
  yield* minute.sort(latestFirst);
}

const isSameMinute = (a: RequestRecord, b: RequestRecord): boolean =>
  toMinute(a.receivedAt) === toMinute(b.receivedAt);

async function* mergeLatestFirst(
  sources: readonly AsyncGenerator<RequestRecord>[],
): AsyncGenerator<RequestRecord> {
  try {
    const heads = await Promise.all(sources.map((source) => source.next()));
    for (;;) {
      const open = heads.flatMap(({ done, value }, at) => (done === true ? [] : [{ at, record: value }]));
      const [first] = open.sort((a, b) => latestFirst(a.record, b.record));
      if (first === undefined) return;
      yield first.record;
      const source = sources[first.at];
      if (source !== undefined) heads[first.at] = await source.next();
    }
  } finally {
    await Promise.all(sources.map((source) => source.return(undefined)));
  }
}
