import type { HeldQueue, HeldQueues } from '../../lib/executions/held/held-queues.ts';
import { ACCEPTED_LEASE_MS } from '../../lib/executions/lifecycle/limits.ts';
import type { ExecutionRecord, ExecutionStart } from '../../lib/executions/record/execution-store.ts';

/**
 * The queues of held executions over records in memory.
 *
 * @param onRelease - called with the id of a released execution, and with the time of its first sweep
 */
export const inMemoryQueues = (
  records: Map<string, ExecutionRecord>,
  onRelease: (executionId: string, sweepAt: number) => void,
): { readonly queues: HeldQueues; use(start: ExecutionStart): void } => {
  const used = new Map<string, { readonly queue: HeldQueue; readonly usedAt: number }>();
  const keyOf = ({ workflowId, triggerNodeId }: HeldQueue): string => `${workflowId}/${triggerNodeId}`;
  const idsIn = (queue: HeldQueue): string[] =>
    [...records.values()]
      .filter(
        ({ held, workflowId, trigger }) =>
          held !== null && keyOf(queue) === `${workflowId}/${trigger.nodeId}`,
      )
      .sort((a, b) => a.startedAt - b.startedAt)
      .map(({ executionId }) => executionId);
  return {
    use: ({ workflowId, trigger, startedAt }) => {
      const queue = { workflowId, triggerNodeId: trigger.nodeId };
      used.set(keyOf(queue), { queue, usedAt: startedAt });
    },
    queues: {
      list: async function* () {
        yield* [...used.values()].map(({ queue }) => queue);
      },
      find: async function* (queue) {
        yield* idsIn(queue);
      },
      count: async (queue, limit) => Math.min(idsIn(queue).length, limit),
      release: async (executionId, { workflowVersion, mode, releasedAt }) => {
        const record = records.get(executionId);
        if (record?.status !== 'accepted' || record.held === null) return false;
        const leaseExpiresAt = releasedAt + ACCEPTED_LEASE_MS;
        records.set(executionId, {
          ...record,
          workflowVersion,
          mode,
          releasedAt,
          leaseExpiresAt,
          held: null,
        });
        onRelease(executionId, leaseExpiresAt);
        return true;
      },
      close: async (queue, unusedSince) => {
        const usedAt = used.get(keyOf(queue))?.usedAt ?? Number.POSITIVE_INFINITY;
        if (usedAt < unusedSince) used.delete(keyOf(queue));
      },
    },
  };
};
