import type { JsonObject } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import * as v from 'valibot';
import type { Ports } from '../executions/ports.ts';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import type { ExecutionStore } from '../executions/record/execution-store.ts';
import { cursor, idText, optional, pageSize } from '../shared/query-fields.ts';
import type { CallbackIndex, ListedCallback } from './callback-index.ts';
import { toCallbackUrl } from './callback-urls.ts';

/** The filters of a list of approvals, as strings, for the admin API and the command line. */
export const approvalsQuery = v.object({
  workflowId: optional(idText('must be a workflow id'), 'All workflows by default'),
  executionId: optional(
    idText('must be an execution id'),
    'Only those of a page that this execution waits for',
  ),
  limit: pageSize,
  cursor,
});

type ApprovalsQuery = Readonly<v.InferOutput<typeof approvalsQuery>>;

/** A pending approval. Times are ISO 8601, UTC. */
interface WaitingApproval extends JsonObject {
  readonly executionId: string;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly title: string | null;
  readonly askedBy: string | null;
  readonly since: string;
  readonly until: string;
  /** The callback URL; only with `hasAddresses`. */
  readonly address?: string;
}

export interface ApprovalParts extends Pick<Ports, 'holdsUnlisted'> {
  readonly callbacks: Pick<CallbackIndex, 'list'>;
  readonly executions: Pick<ExecutionStore, 'findData'>;
}

export interface ApprovalPage {
  /** The approvals of this page: possibly fewer than requested, or none, although more follow. */
  readonly approvals: readonly WaitingApproval[];
  /** Cursor of the next page; null if there are no more approvals. */
  readonly nextCursor: string | null;
  /** Set if approvals opened by an earlier release are missing: those are only in the lists of their workflows. */
  readonly omitsEarlier?: true;
}

/** How many executions are read concurrently. */
const CONCURRENCY = 10;

/**
 * Lists the pending approvals of one or all workflows, ordered by expiry.
 *
 * @param hasAddresses - adds the callback URLs, with which anyone can decide
 * @throws AppError `QUERY_INVALID` | `STORE_UNAVAILABLE`
 */
export const listApprovals = async (
  { workflowId, executionId, limit, cursor }: ApprovalsQuery,
  hasAddresses: boolean,
  { callbacks, executions, holdsUnlisted }: ApprovalParts,
): Promise<ApprovalPage> => {
  const list = JSON.stringify(['approvals', workflowId]);
  const after = cursor === null ? undefined : readCursor(cursor, list);
  const { callbacks: read, next } = await callbacks.list(workflowId, limit, after);
  const found = read.filter(({ subject }) => executionId === null || subject.executionId === executionId);
  const describe = async (callback: ListedCallback): Promise<WaitingApproval> => {
    if (!hasAddresses) return toApproval(callback);
    const { subject, expiresAt } = callback;
    const data = await executions.findData(subject.executionId);
    const key = data?.callbackKey ?? null;
    const address = key === null ? {} : { address: toCallbackUrl({ ...subject, expiresAt }, key) };
    return { ...toApproval(callback), ...address };
  };
  return {
    approvals: await pLimit(CONCURRENCY).map(found, describe),
    nextCursor: next === null ? null : writeCursor(next, list),
    ...(workflowId === null && (await holdsUnlisted()) ? { omitsEarlier: true } : {}),
  };
};

const toApproval = ({ expiresAt, subject }: ListedCallback): WaitingApproval => {
  const { executionId, workflowId, name, openedAt, question } = subject;
  return {
    executionId,
    workflowId,
    nodeId: toNodeId(name),
    title: question.title ?? null,
    askedBy: question.askedBy ?? null,
    since: new Date(openedAt).toISOString(),
    until: new Date(expiresAt).toISOString(),
  };
};

/**
 * Returns the node id in a callback name, `NODE/ITERATION/OPERATION`, which is prefixed with those of the enclosing
 * loop nodes.
 */
const toNodeId = (name: string): string => name.split('/').at(-3) ?? name;
