import pLimit from 'p-limit';
import * as v from 'valibot';
import { isId } from '../../contract/ids.ts';
import type { AppError } from '../../shared/errors.ts';
import { operatorError } from '../../shared/operator-errors.ts';
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
  /** The gateway's id of the request that has started it; with `workflowId`. */
  request: v.nullish(text, null),
  /** Milliseconds since the epoch, both included. */
  from: time,
  to: time,
  limit: count({ initial: DEFAULT_LIMIT, max: MAX_LIMIT }),
  /** The `nextCursor` of the page before; null for the first page. */
  cursor: v.nullish(text, null),
});

export type ListQuery = Readonly<v.InferOutput<typeof listQuery>>;

interface ListPage {
  /** By start and id, descending. */
  readonly executions: readonly ExecutionSummary[];
  /** Null when there are no more. */
  readonly nextCursor: string | null;
}

export interface ListParts {
  readonly executions: Pick<ExecutionStore, 'list'>;
  /**
   * With deleted workflows, whose executions remain.
   *
   * @throws AppError `STORE_UNAVAILABLE`
   */
  readonly listWorkflowIds: () => Promise<readonly string[]>;
}

/** Concurrent queries. */
const CONCURRENCY = 10;

/**
 * Lists the executions of one or all workflows by merging the lists of each workflow and status.
 *
 * @throws AppError `QUERY_INVALID` | `STORE_UNAVAILABLE`
 */
export const listExecutions = async (query: ListQuery, parts: ListParts): Promise<ListPage> => {
  const { workflowId, status: statuses, request, from, to, limit, cursor } = query;
  if (from !== null && to !== null && from > to) throw queryInvalid('from is later than to');
  if (request !== null && workflowId === null) throw queryInvalid('request needs the workflow beside it');
  const list = JSON.stringify([workflowId, statuses.toSorted(), from, to, request ?? undefined]);
  const after = cursor === null ? null : readPosition(cursor, list, query);

  const workflowIds = workflowId === null ? await parts.listWorkflowIds() : [workflowId];
  const kinds = statuses.length === 0 ? [null] : statuses;
  const limitReads = pLimit(CONCURRENCY);
  const read = (id: string, status: ExecutionStatus | null) =>
    limitReads(() =>
      parts.executions.list({
        workflowId: id,
        limit,
        ...(status === null ? {} : { status }),
        ...(request === null ? {} : { requestId: request }),
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

const queryInvalid = (reason: string): AppError => operatorError('QUERY_INVALID', { reason });

/** The store rejects a position outside of the queried time. */
const readPosition = (cursor: string, list: string, { from, to }: ListQuery): Position => {
  const position = readCursor(cursor, list);
  const isInside = position.startedAt >= (from ?? 0) && position.startedAt <= (to ?? position.startedAt);
  if (!isInside) throw queryInvalid('cursor is not one that a list has given');
  return position;
};

/**
 * Merges pages by start and id. A rare status can give a short page although there are more: entries of other pages that
 * come after its end are dropped, since it may have some that precede them.
 */
const mergePages = (pages: readonly ExecutionPage[], limit: number): readonly ExecutionSummary[] => {
  const ends = pages
    .filter(({ executions, hasMore }) => hasMore && executions.length < limit)
    .map(({ executions }) => executions.at(-1) ?? null);
  if (ends.includes(null)) {
    throw queryInvalid(
      'what is asked for is too rare among the latest executions to be found: say since when, with from',
    );
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
