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

/** The filters of a list of approvals, as texts: those of the admin API and of the command line. */
export const approvalsQuery = v.object({
  /** Null for all workflows. */
  workflowId: v.nullish(v.custom<string>(isId, 'is no id of a workflow'), null),
  limit: count({ initial: DEFAULT_LIMIT, max: MAX_APPROVALS }),
  /** The `nextCursor` of the page before; null for the first page. */
  cursor: v.nullish(text, null),
});

export type ApprovalsQuery = Readonly<v.InferOutput<typeof approvalsQuery>>;

/** An approval that waits. Times are ISO 8601, UTC. */
interface WaitingApproval extends JsonObject {
  readonly executionId: string;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly title: string | null;
  readonly askedBy: string | null;
  readonly since: string;
  readonly until: string;
  /** With `hasAddresses` alone. */
  readonly address?: string;
}

export interface ApprovalParts {
  readonly callbacks: Pick<CallbackIndex, 'list'>;
  readonly executions: Pick<ExecutionStore, 'findData'>;
  readonly holdsUnlisted: ListParts['holdsUnlisted'];
}

interface ApprovalPage {
  /** May be fewer than asked for, or none, although more follow. */
  readonly approvals: readonly WaitingApproval[];
  /** Null when there are no more. */
  readonly nextCursor: string | null;
  /** What an earlier release has opened is in the lists of its workflows alone. */
  readonly omitsEarlier?: true;
}

/** Concurrent reads. */
const CONCURRENCY = 10;

/**
 * Lists the approvals of one or all workflows that wait; those whose time ends first come first.
 *
 * @param hasAddresses - adds the callback URLs: with one of them, anyone can decide
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

/** Of the name of a callback: `NODE/ITERATION/OPERATION`, behind those of the nodes whose bodies it is in. */
const toNodeId = (name: string): string => name.split('/').at(-3) ?? name;
