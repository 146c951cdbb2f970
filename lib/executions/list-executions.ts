import { createHash } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { WorkflowStore } from '../workflows/workflow-store.ts';
import type { ExecutionStatus } from './execution.ts';
import type { ExecutionStore, ExecutionSummary } from './execution-store.ts';
import { createGate } from './gate.ts';

export interface ListQuery {
  /** Null for all workflows that there are. */
  readonly workflowId: string | null;
  readonly status: ExecutionStatus | null;
  /** Milliseconds since the epoch, both included. */
  readonly from: number | null;
  readonly to: number | null;
  readonly limit: number;
  /** What the page before gave as its `nextCursor`. */
  readonly cursor: string | null;
}

export interface ListPage {
  /** The latest first. */
  readonly executions: readonly ExecutionSummary[];
  /** Null when there are no more. */
  readonly nextCursor: string | null;
}

export interface ListParts {
  readonly executions: Pick<ExecutionStore, 'list'>;
  readonly workflows: Pick<WorkflowStore, 'list'>;
}

/** How many workflows are asked at once. */
const CONCURRENCY = 10;

type Position = Pick<ExecutionSummary, 'executionId' | 'startedAt'>;

/**
 * One page of executions, of a workflow or of all.
 * @throws AppError `QUERY_INVALID` for a cursor that is none, or another list's; `STORE_UNAVAILABLE`
 */
export const listExecutions = async (query: ListQuery, parts: ListParts): Promise<ListPage> => {
  const { workflowId, limit } = query;
  const after = query.cursor === null ? null : readCursor(query.cursor, query);
  const ids = workflowId === null ? (await parts.workflows.list()).map(({ id }) => id) : [workflowId];
  const enter = createGate(CONCURRENCY);
  const pages = await Promise.all(ids.map((id) => enter(() => listWorkflow(id, query, after, parts))));
  const found = pages.flatMap(({ executions }) => executions).sort(latestFirst);
  const executions = found.slice(0, limit);
  const last = executions.at(-1);
  const hasMore = found.length > limit || pages.some((page) => page.hasMore);
  return { executions, nextCursor: hasMore && last !== undefined ? writeCursor(last, query) : null };
};

const listWorkflow = (
  workflowId: string,
  { status, from, to, limit }: ListQuery,
  after: Position | null,
  { executions }: ListParts,
) =>
  executions.list({
    workflowId,
    limit,
    ...(status === null ? {} : { status }),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
    ...(after === null ? {} : { after }),
  });

const latestFirst = (a: ExecutionSummary, b: ExecutionSummary): number =>
  b.startedAt - a.startedAt || (a.executionId < b.executionId ? 1 : -1);

const writeCursor = ({ startedAt, executionId }: Position, query: ListQuery): string =>
  Buffer.from(JSON.stringify([startedAt, executionId, hashOf(query)])).toString('base64url');

const readCursor = (cursor: string, query: ListQuery): Position => {
  const [startedAt, executionId, hash] = parse(cursor);
  if (typeof startedAt !== 'number' || typeof executionId !== 'string' || !Number.isSafeInteger(startedAt)) {
    throw new AppError('QUERY_INVALID', { reason: 'cursor is not one that this list has given' });
  }
  if (hash !== hashOf(query)) {
    throw new AppError('QUERY_INVALID', { reason: 'cursor is that of a list with other parameters' });
  }
  return { startedAt, executionId };
};

const parse = (cursor: string): unknown[] => {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
};

/** Pages of one list belong together; how long they are may change. */
const hashOf = ({ workflowId, status, from, to }: ListQuery): string =>
  createHash('sha256')
    .update(JSON.stringify([workflowId, status, from, to]))
    .digest('base64url')
    .slice(0, 12);
