import pLimit from 'p-limit';
import { AppError } from '../../shared/errors.ts';
import { type Position, readCursor, writeCursor } from '../record/cursor.ts';
import type { ExecutionStatus } from '../record/execution-status.ts';
import type { ExecutionPage, ExecutionStore, ExecutionSummary } from '../record/execution-store.ts';

export interface ListQuery {
  /** Null for all workflows. */
  readonly workflowId: string | null;
  /** Any of these; empty for all. */
  readonly statuses: readonly ExecutionStatus[];
  /** Milliseconds since the epoch, both included. */
  readonly from: number | null;
  readonly to: number | null;
  /** 1 to 100. */
  readonly limit: number;
  /** What the page before gave as its `nextCursor`. */
  readonly cursor: string | null;
}

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
  const { workflowId, statuses, from, to, limit, cursor } = query;
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
