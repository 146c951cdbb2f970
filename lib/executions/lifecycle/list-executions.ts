import pLimit from 'p-limit';
import * as v from 'valibot';
import { isId } from '../../contract/ids.ts';
import type { AppError } from '../../shared/errors.ts';
import { operatorError } from '../../shared/operator-errors.ts';
import { count, text, time, wordList } from '../../shared/query-fields.ts';
import { readCursor, writeCursor } from '../record/cursor.ts';
import { EXECUTION_STATUSES, type ExecutionStatus, hasEndedBadly } from '../record/execution-status.ts';
import type {
  ExecutionPage,
  ExecutionQuery,
  ExecutionStore,
  ExecutionSummary,
  ListPosition,
} from '../record/execution-store.ts';

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
  /** The latest first; may be fewer than asked for, or none, although more follow. */
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

/** The statuses of one list of a workflow, null for all. Those that ended badly have a list of their own. */
type Kind = readonly ExecutionStatus[] | null;

const kindsOf = (statuses: readonly ExecutionStatus[]): readonly Kind[] => {
  if (statuses.length === 0 || EXECUTION_STATUSES.every((status) => statuses.includes(status))) return [null];
  const bad = statuses.filter(hasEndedBadly);
  const others = statuses.filter((status) => !hasEndedBadly(status));
  return [bad, others].filter((kind) => kind.length > 0);
};

/**
 * Lists the executions of one or all workflows by merging the lists of each workflow and kind: by start, the latest first,
 * then by list, then in the order of the list itself. So a cursor is a place in one list, from which that in all others
 * follows, and no order is made up that the store doesn't have.
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
  const kinds = kindsOf(statuses);
  const limitReads = pLimit(CONCURRENCY);
  const read = async (id: string, kind: Kind): Promise<List> => {
    const name = `${id}/${kinds.indexOf(kind)}`;
    const range = rangeAfter(after, name, query);
    if (range === null) return { name, executions: [], next: null };
    const filters = {
      ...(kind === null ? {} : { statuses: kind }),
      ...(request === null ? {} : { requestId: request }),
    };
    return {
      name,
      ...(await limitReads(() => parts.executions.list({ workflowId: id, limit, ...filters, ...range }))),
    };
  };
  const lists = await Promise.all(workflowIds.flatMap((id) => kinds.map((kind) => read(id, kind))));

  const { found, end } = mergeLists(lists);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : end;
  return {
    executions: page.map(({ execution }) => execution),
    nextCursor: last === undefined ? null : writeCursor(last, list, last.name),
  };
};

interface List extends ExecutionPage {
  /** Of the workflow and the kind. */
  readonly name: string;
}

/** A place in one of several lists. */
interface Place extends ListPosition {
  readonly name: string;
}

interface Found extends Place {
  readonly execution: ExecutionSummary;
}

/** What of a list follows a place, which may be in another list; null for nothing. */
const rangeAfter = (
  place: Place | null,
  name: string,
  { from, to }: ListQuery,
): Pick<ExecutionQuery, 'from' | 'to' | 'after'> | null => {
  const bounds = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
  if (place === null) return bounds;
  const { startedAt, executionId } = place;
  if (place.name === name) return { ...bounds, after: { startedAt, executionId } };
  const last = name < place.name ? startedAt - 1 : startedAt;
  return last < (from ?? 0) ? null : { ...bounds, to: last };
};

/**
 * Merges lists as far as all of them are known: a list that was not read to its end may have entries that precede those of
 * others.
 *
 * @returns the place to which they are; undefined when that is their end
 */
const mergeLists = (
  lists: readonly List[],
): { readonly found: readonly Found[]; readonly end: Place | undefined } => {
  const [end] = lists.flatMap(({ name, next }) => (next === null ? [] : [{ ...next, name }])).sort(byPlace);
  const found = lists
    .flatMap(({ name, executions }) =>
      executions.map((execution) => {
        const { startedAt, executionId } = execution;
        return { name, startedAt, executionId, execution };
      }),
    )
    .filter((one) => end === undefined || byPlace(one, end) <= 0)
    .sort(byPlace);
  return { found, end };
};

/** Entries of one list stay in its order: they are sorted by a stable sort, from the latest on. */
const byPlace = (a: Place, b: Place): number => {
  if (a.startedAt !== b.startedAt) return b.startedAt - a.startedAt;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
};

const queryInvalid = (reason: string): AppError => operatorError('QUERY_INVALID', { reason });

/** The store rejects a position outside of the queried time. */
const readPosition = (cursor: string, list: string, { from, to }: ListQuery): Place => {
  const { name, ...position } = readCursor(cursor, list);
  const isInside = position.startedAt >= (from ?? 0) && position.startedAt <= (to ?? position.startedAt);
  if (!isInside) throw queryInvalid('cursor is not one that a list has given');
  return { ...position, name };
};
