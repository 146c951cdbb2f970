import pLimit from 'p-limit';
import * as v from 'valibot';
import { isId } from '../contract/ids.ts';
import type { JsonObject } from '../contract/json.ts';
import type { ExecutionStore } from '../executions/record/execution-store.ts';
import { count } from '../shared/query-fields.ts';
import type { CallbackIndex, ListedCallback } from './callback-index.ts';
import { toCallbackUrl } from './callback-urls.ts';

const DEFAULT_LIMIT = 25;
export const MAX_APPROVALS = 100;

/** The filters of a list of approvals, as texts: those of the admin API and of the command line. */
export const approvalsQuery = v.object({
  /** Null for all workflows. */
  workflowId: v.nullish(v.custom<string>(isId, 'is no id of a workflow'), null),
  limit: count({ initial: DEFAULT_LIMIT, max: MAX_APPROVALS }),
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
  /** @throws AppError `STORE_UNAVAILABLE` */
  readonly listWorkflowIds: () => Promise<readonly string[]>;
}

/** Concurrent reads. */
const CONCURRENCY = 10;

/**
 * Lists the approvals of one or all workflows that wait, the latest first.
 *
 * @param hasAddresses - adds the callback URLs: with one of them, anyone can decide
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const listApprovals = async (
  { workflowId, limit }: ApprovalsQuery,
  hasAddresses: boolean,
  { callbacks, executions, listWorkflowIds }: ApprovalParts,
): Promise<{ readonly approvals: readonly WaitingApproval[]; readonly hasMore: boolean }> => {
  const limitReads = pLimit(CONCURRENCY);
  const workflowIds = workflowId === null ? await listWorkflowIds() : [workflowId];
  const pages = await Promise.all(workflowIds.map((id) => limitReads(() => callbacks.list(id, limit))));
  const found = pages
    .flatMap((page) => page.callbacks)
    .sort((a, b) => b.subject.openedAt - a.subject.openedAt);
  const describe = async (callback: ListedCallback): Promise<WaitingApproval> => {
    if (!hasAddresses) return toApproval(callback);
    const { subject, expiresAt } = callback;
    const data = await limitReads(() => executions.findData(subject.executionId));
    const key = data?.callbackKey ?? null;
    const address = key === null ? {} : { address: toCallbackUrl({ ...subject, expiresAt }, key) };
    return { ...toApproval(callback), ...address };
  };
  return {
    approvals: await Promise.all(found.slice(0, limit).map(describe)),
    hasMore: found.length > limit || pages.some((page) => page.hasMore),
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
