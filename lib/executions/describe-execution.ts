import type { NodeRecord } from './execution.ts';
import type { ExecutionRecord, ExecutionSummary } from './execution-store.ts';

/** An execution as lists show it: times in ISO 8601. */
export const describeSummary = ({
  executionId,
  workflowId,
  workflowVersion,
  mode,
  status,
  startedAt,
  endedAt,
}: ExecutionSummary) => ({
  ...{ executionId, workflowId, workflowVersion, mode, status },
  startedAt: toIso(startedAt),
  endedAt: endedAt === null ? null : toIso(endedAt),
  durationMs: endedAt === null ? null : endedAt - startedAt,
});

/**
 * All that operators see of one execution. A list of what is shown, not of what is hidden: the request, the key that
 * signs addresses, what a retry remembers, and whatever else a record gets one day stay inside.
 */
export const describeExecution = (record: ExecutionRecord) => ({
  ...describeSummary(record),
  trigger: record.trigger,
  retryOf: record.retryOf,
  invocations: record.invocations,
  failure: record.failure,
  nodes: record.nodes.map(describeNode),
  nodesOmitted: record.nodesOmitted,
});

const describeNode = ({ startedAt, ...node }: NodeRecord) => ({ ...node, startedAt: toIso(startedAt) });

const toIso = (ms: number): string => new Date(ms).toISOString();
