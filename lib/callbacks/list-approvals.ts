import type { JsonObject } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import pLimit from 'p-limit';
import * as v from 'valibot';
import type { ListParts } from '../executions/lifecycle/list-executions.ts';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
import type { ExecutionStore } from '../executions/record/execution-store.ts';
import { count, text } from '../shared/query-fields.ts';
import type { CallbackIndex, ListedCallback } from './callback-index.ts';
import { toCallbackUrl } from './callback-urls.ts';

const DEFAULT_LIMIT = 25;
export const MAX_APPROVALS = 100;

/** The filters of a list of approvals, as strings, for the admin API and the command line. */
export const approvalsQuery = v.object({
  /** The workflow whose approvals are listed; null for all workflows. */
  workflowId: v.nullish(v.custom<string>(isId, 'must be a workflow id'), null),
  limit: count({ initial: DEFAULT_LIMIT, max: MAX_APPROVALS }),
  /** The `nextCursor` of the previous page; null for the first page. */
  cursor: v.nullish(text, null),
});

export type ApprovalsQuery = Readonly<v.InferOutput<typeof approvalsQuery>>;

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

export interface ApprovalParts {
  readonly callbacks: Pick<CallbackIndex, 'list'>;
  readonly executions: Pick<ExecutionStore, 'findData'>;
  readonly holdsUnlisted: ListParts['holdsUnlisted'];
}

interface ApprovalPage {
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
  { workflowId, limit, cursor }: ApprovalsQuery,
  hasAddresses: boolean,
  { callbacks, executions, holdsUnlisted }: ApprovalParts,
): Promise<ApprovalPage> => {
  const list = JSON.stringify(['approvals', workflowId]);
  const after = cursor === null ? undefined : readCursor(cursor, list);
  const { callbacks: found, next } = await callbacks.list(workflowId, limit, after);
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
