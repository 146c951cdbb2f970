import * as v from 'valibot';
import { QUERY_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { cursor, idText, optional, pageSize, text, time, word, wordList } from '../../shared/query-fields.ts';
import type { Ports } from '../ports.ts';
import { readCursor, writeCursor } from '../record/cursor.ts';
import {
  EXECUTION_STATUSES,
  type ExecutionPage,
  type ExecutionStore,
  type FailureFilter,
} from '../record/execution-store.ts';

/** The filters of a list of executions, as strings, for the admin API and the command line. */
const listQuery = v.object({
  workflowId: optional(idText('must be a workflow id'), 'All workflows by default'),
  status: wordList(EXECUTION_STATUSES),
  trial: optional(word(['true', 'false']), 'Only trials, or none; both by default'),
  request: optional(text, "The gateway's id of the request that started it, or that was sent again"),
  failureNode: optional(text, 'The node at which they failed'),
  failureName: optional(text, 'The name of their failure: `HttpStatusError`'),
  bulkRetryId: optional(text, 'The bulk retry that started them'),
  /** Start of the period, in milliseconds since the epoch, inclusive. */
  from: time,
  to: time,
  limit: pageSize,
  cursor,
});

/**
 * The same with a delivery key: those started by deliveries with this key. With a request id and no `workflowId`: the one
 * that the request started.
 */
export const keyedListQuery = v.object({
  ...listQuery.entries,
  key: optional(text, 'Key of the delivery; needs `workflowId`'),
});

export type ListQuery = Readonly<v.InferOutput<typeof listQuery>>;

export type ListPorts = Pick<Ports, 'holdsUnlisted'> & { readonly executions: Pick<ExecutionStore, 'list'> };

/** A page of executions: possibly fewer than requested, or none, although more follow. */
interface ListPage extends Omit<ExecutionPage, 'next'> {
  /** Cursor of the next page; null if there are no more executions. */
  readonly nextCursor: string | null;
  /** Set if executions stored by an earlier release are missing: those are only in the lists of their workflows. */
  readonly omitsEarlier?: true;
}

/**
 * Lists the executions of one or all workflows.
 *
 * @throws AppError `QUERY_INVALID` | `STORE_UNAVAILABLE`
 */
export const listExecutions = async (
  query: ListQuery,
  { executions, holdsUnlisted }: ListPorts,
): Promise<ListPage> => {
  const { workflowId, status: statuses, trial, request, bulkRetryId, from, to, limit, cursor } = query;
  const failure = toFailureFilter(query);
  if (from !== null && to !== null && from > to) throw queryInvalid('from must not be later than to');
  const list = JSON.stringify([
    workflowId,
    statuses.toSorted(),
    from,
    to,
    request ?? undefined,
    trial ?? undefined,
    failure ?? undefined,
    bulkRetryId ?? undefined,
  ]);
  const { next, ...page } = await executions.list({
    workflowId,
    limit,
    ...(statuses.length === 0 ? {} : { statuses }),
    ...(request === null ? {} : { requestId: request }),
    ...(failure === null ? {} : { failure }),
    ...(bulkRetryId === null ? {} : { bulkRetryId }),
    ...(trial === null ? {} : { isTrial: trial === 'true' }),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
    ...(cursor === null ? {} : { after: readCursor(cursor, list) }),
  });
  const omitsEarlier = workflowId === null && (await holdsUnlisted());
  const nextCursor = next === null ? null : writeCursor(next, list);
  return { ...page, nextCursor, ...(omitsEarlier ? { omitsEarlier } : {}) };
};

/** How the executions of a list failed; null if that doesn't matter. */
const toFailureFilter = ({
  failureNode,
  failureName,
}: Pick<ListQuery, 'failureNode' | 'failureName'>): FailureFilter | null =>
  failureNode === null && failureName === null ? null : { failureNode, failureName };

const queryInvalid = (reason: string): AppError => new AppError(QUERY_INVALID, { reason });
