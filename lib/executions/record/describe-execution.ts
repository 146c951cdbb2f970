import { nodeKeyOf } from '../../engine/node-run.ts';
import { type AttemptTime, hasFailedItems, type NodeFailure, type NodeRecord } from '../../engine/result.ts';
import { type ExecutionRecord, type ExecutionSummary, isFinal, isTrial } from './execution-store.ts';

/** An execution as it appears in lists, with times in ISO 8601. */
export const describeSummary = ({
  executionId,
  workflowId,
  workflowVersion,
  mode,
  status,
  startedAt,
  endedAt,
  held,
}: ExecutionSummary) => ({
  executionId,
  workflowId,
  workflowVersion,
  mode,
  status,
  ...(held === null ? {} : { held }),
  ...(isTrial({ workflowVersion }) ? { trial: true as const } : {}),
  startedAt: toIso(startedAt),
  endedAt: endedAt === null ? null : toIso(endedAt),
  durationMs: endedAt === null ? null : endedAt - startedAt,
});

/**
 * An execution as operators see it. Fields are listed one by one, so that its input, callback key, checkpoints and any
 * later attributes are not exposed.
 */
export const describeExecution = (record: ExecutionRecord) => ({
  ...describeSummary(record),
  trigger: describeTrigger(record.trigger),
  requestId: record.requestId ?? null,
  retryOf:
    record.retryOf === null
      ? null
      : {
          executionId: record.retryOf.executionId,
          fromNodeId: record.retryOf.fromNodeId,
          ...(record.retryOf.only === undefined ? {} : { only: record.retryOf.only }),
          ...describeBulk(record.retryOf),
        },
  retriedBy: record.retriedBy ?? null,
  editedInput: record.editedInput ?? null,
  leaseOwner: record.leaseOwner,
  invocations: record.invocations,
  crashes: Math.max(0, record.crashes),
  failure: record.failure === null ? null : describeFailure(record.failure),
  ...(isFinal(record.status) && record.isInOutbox ? { eventPending: true as const } : {}),
  nodes: record.nodes.map(describeNode),
  nodesOmitted: record.nodesOmitted,
  failedItems: countFailedItems(record.nodes),
});

/** Counts the items that have failed. One that failed because of items inside it is not counted besides those. */
const countFailedItems = (nodes: readonly NodeRecord[]): number => {
  const loops = nodes.filter(hasFailedItems);
  const inner = new Set(loops.flatMap(({ within }) => within ?? []));
  const hasInner = (name: string) => [...inner].some((one) => one === name || one.startsWith(`${name}/`));
  return loops.reduce((total, node) => {
    const { count = 0, indexes = [] } = node.failedItems ?? {};
    const repeated =
      inner.size === 0 ? [] : indexes.filter((index) => hasInner(`${nodeKeyOf(node)}/${index}`));
    return total + count - repeated.length;
  }, 0);
};

const describeBulk = ({ bulkRetryId }: NonNullable<ExecutionRecord['retryOf']>) =>
  bulkRetryId === undefined ? {} : { bulkRetryId };

const describeTrigger = ({ nodeId, type, byHand }: ExecutionRecord['trigger']) => ({
  nodeId,
  type,
  ...(byHand === true ? { byHand } : {}),
});

const describeNode = (node: NodeRecord) => ({
  nodeId: node.nodeId,
  ...(node.within === undefined ? {} : { within: node.within }),
  type: node.type,
  status: node.status,
  iteration: node.iteration,
  attempts: node.attempts,
  ...(node.attemptTimes === undefined ? {} : { attemptTimes: node.attemptTimes.map(describeAttempt) }),
  startedAt: toIso(node.startedAt),
  durationMs: node.durationMs,
  ...(node.failure === undefined ? {} : { failure: describeFailure(node.failure) }),
  ...(node.usage === undefined ? {} : { usage: node.usage }),
  ...(node.failedItems === undefined ? {} : { failedItems: node.failedItems }),
  ...(node.input === undefined ? {} : { input: node.input }),
  ...(node.outputs === undefined ? {} : { outputs: node.outputs }),
});

const describeAttempt = ({ number, startedAt, endedAt }: AttemptTime) => ({
  attempt: number,
  startedAt: toIso(startedAt),
  endedAt: endedAt === null ? null : toIso(endedAt),
});

const describeFailure = ({ nodeId, name, message, details }: NodeFailure) => ({
  nodeId,
  name,
  message,
  ...(details === undefined ? {} : { details }),
});

export const toIso = (ms: number): string => new Date(ms).toISOString();
