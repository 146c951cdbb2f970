import pLimit from 'p-limit';
import * as v from 'valibot';
import { isId } from '../../contract/ids.ts';
import { AppError } from '../../shared/errors.ts';
import { count, text, time, wordList } from '../../shared/query-fields.ts';
import { type Position, readCursor, writeCursor } from '../record/cursor.ts';
import { EXECUTION_STATUSES, type ExecutionStatus } from '../record/execution-status.ts';
import type { ExecutionPage, ExecutionStore, ExecutionSummary } from '../record/execution-store.ts';

export const DEFAULT_LIMIT = 25;
export const MAX_LIMIT = 100;

/** The filters of a list of executions, as texts: those of the admin API and of the command line. */
export const listQuery = v.object({
  /** Null for all workflows. */
  workflowId: v.nullish(v.custom<string>(isId, 'is no id of a workflow'), null),
  /** Any of these; empty for all. */
  status: wordList(EXECUTION_STATUSES),
  /** Milliseconds since the epoch, both included. */
  from: time,
  to: time,
  limit: count({ initial: DEFAULT_LIMIT, max: MAX_LIMIT }),
  /** The `nextCursor` of the page before; null for the first page. */
  cursor: v.nullish(text, null),
});

export type ListQuery = Readonly<v.InferOutput<typeof listQuery>>;

interface ListPage {
  /** The latest first; ties by id, descending. */
  readonly executions: readonly ExecutionSummary[];
  /** Null when there are no more. */
  readonly nextCursor: string | null;
}

export interface ListParts {
  readonly executions: Pick<ExecutionStore, 'list'>;
  /** Of all workflows that ever were: executions outlive their workflow. Rejects with `STORE_UNAVAILABLE`. */
  readonly listWorkflowIds: () => Promise<readonly string[]>;
}

/** How many lists are read at once. */
const CONCURRENCY = 10;

/**
 * One page of executions, of a workflow or of all: the latest of each workflow and status, merged.
 * @throws AppError `QUERY_INVALID` | `STORE_UNAVAILABLE`
 */
export const listExecutions = async (query: ListQuery, parts: ListParts): Promise<ListPage> => {
  const { workflowId, status: statuses, from, to, limit, cursor } = query;
  if (from !== null && to !== null && from > to) throw refuse('from is later than to');
  const list = JSON.stringify([workflowId, statuses.toSorted(), from, to]);
  const after = cursor === null ? null : readPlace(cursor, list, query);

  const workflowIds = workflowId === null ? await parts.listWorkflowIds() : [workflowId];
  const kinds = statuses.length === 0 ? [null] : statuses;
  const limitReads = pLimit(CONCURRENCY);
  const read = (id: string, status: ExecutionStatus | null) =>
    limitReads(() =>
      parts.executions.list({
        workflowId: id,
        limit,
        ...(status === null ? {} : { status }),
        ...(from === null ? {} : { from }),
        ...(to === null ? {} : { to }),
        ...(after === null ? {} : { after }),
      }),
    );
  const pages = await Promise.all(workflowIds.flatMap((id) => kinds.map((status) => read(id, status))));

  const found = mergePages(pages, limit);
  const executions = found.slice(0, limit);
  const last = executions.at(-1);
  const hasMore = found.length > limit || pages.some((page) => page.hasMore);
  return { executions, nextCursor: hasMore && last !== undefined ? writeCursor(last, list) : null };
};

const refuse = (reason: string): AppError => new AppError('QUERY_INVALID', { reason });

/** The store refuses to begin outside of the time that it is asked for. */
const readPlace = (cursor: string, list: string, { from, to }: ListQuery): Position => {
  const place = readCursor(cursor, list);
  const isInside = place.startedAt >= (from ?? 0) && place.startedAt <= (to ?? place.startedAt);
  if (!isInside) throw refuse('cursor is not one that a list has given');
  return place;
};

/**
 * In one order. A page may be short although there are more, when what was asked for is rare: behind its end nothing
 * is known of it yet, so nothing behind that end can be told of the others either.
 */
const mergePages = (pages: readonly ExecutionPage[], limit: number): readonly ExecutionSummary[] => {
  const ends = pages
    .filter(({ executions, hasMore }) => hasMore && executions.length < limit)
    .map(({ executions }) => executions.at(-1) ?? null);
  if (ends.includes(null)) {
    throw refuse('status is too rare among the latest executions to be found: say since when, with from');
  }
  return pages
    .flatMap(({ executions }) => executions)
    .filter((execution) => ends.every((end) => end === null || latestFirst(execution, end) <= 0))
    .sort(latestFirst);
};

const latestFirst = (a: Position, b: Position): number => {
  if (a.startedAt !== b.startedAt) return b.startedAt - a.startedAt;
  if (a.executionId === b.executionId) return 0;
  return a.executionId < b.executionId ? 1 : -1;
};
