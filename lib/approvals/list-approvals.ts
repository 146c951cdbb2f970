import pLimit from 'p-limit';
import * as v from 'valibot';
import type { Ports } from '../executions/ports.ts';
import { readCursor, writeCursor } from '../executions/record/cursor.ts';
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

export interface ApprovalParts extends Pick<Ports, 'executions' | 'holdsUnlisted'> {
  readonly callbacks: Pick<CallbackIndex, 'list'>;
}

/** How many executions are read concurrently. */
const CONCURRENCY = 10;

/**
 * Lists the pending approvals of one or all workflows, ordered by expiry. A page may have fewer than requested, or none,
 * although more follow. `omitsEarlier`: approvals opened by an earlier release are only in the lists of their workflows.
 *
 * @param hasAddresses - adds the callback URLs, with which anyone can decide
 * @throws AppError `QUERY_INVALID` | `STORE_UNAVAILABLE`
 */
export const listApprovals = async (
  { workflowId, executionId, limit, cursor }: ApprovalsQuery,
  hasAddresses: boolean,
  { callbacks, executions, holdsUnlisted }: ApprovalParts,
) => {
  const list = JSON.stringify(['approvals', workflowId]);
  const after = cursor === null ? undefined : readCursor(cursor, list);
  const { callbacks: read, next } = await callbacks.list(workflowId, limit, after);
  const found = read.filter(({ subject }) => executionId === null || subject.executionId === executionId);
  const findAddress = async ({
    subject,
    expiresAt,
  }: ListedCallback): Promise<{ readonly address?: string }> => {
    const key = hasAddresses ? (await executions.findData(subject.executionId))?.callbackKey : null;
    return typeof key === 'string' ? { address: toCallbackUrl({ ...subject, expiresAt }, key) } : {};
  };
  const omitsEarlier = workflowId === null && (await holdsUnlisted());
  return {
    approvals: await pLimit(CONCURRENCY).map(found, async (callback) => ({
      ...toApproval(callback),
      ...(await findAddress(callback)),
    })),
    nextCursor: next === null ? null : writeCursor(next, list),
    ...(omitsEarlier ? { omitsEarlier: true as const } : {}),
  };
};

export type ApprovalPage = Awaited<ReturnType<typeof listApprovals>>;

const toApproval = ({ expiresAt, subject }: ListedCallback) => {
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
