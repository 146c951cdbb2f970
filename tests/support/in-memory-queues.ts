import type { JsonObject } from '@hookloom/plugin-kit';
import type { HeldQueue, HeldQueues } from '../../lib/executions/held-queues.ts';
import { ACCEPTED_LEASE_MS } from '../../lib/executions/lifecycle/limits.ts';
import type { ExecutionRecord, ExecutionStart } from '../../lib/executions/record/execution-store.ts';

/**
 * The queues of held executions over records in memory.
 *
 * @param onRelease - called with the id of a released execution, the time of its first sweep, and its new variables
 */
export const inMemoryQueues = (
  records: Map<string, ExecutionRecord>,
  onRelease: (executionId: string, sweepAt: number, variables: JsonObject | undefined) => void,
): { readonly queues: HeldQueues; use(start: ExecutionStart): void } => {
  const used = new Map<string, { readonly queue: HeldQueue; readonly usedAt: number }>();
  const attended = new Map<string, number>();
  const lastPlaces = new Map<string, number>();
  const places = new Map<string, number>();
  const enter = (queue: HeldQueue, usedAt: number): number => {
    const key = keyOf(queue);
    used.set(key, { queue, usedAt });
    const place = (lastPlaces.get(key) ?? 0) + 1;
    lastPlaces.set(key, place);
    return place;
  };
  const keyOf = ({ workflowId, triggerNodeId }: HeldQueue): string => `${workflowId}/${triggerNodeId}`;
  const idsIn = (queue: HeldQueue): string[] =>
    [...records.values()]
      .filter(
        ({ held, workflowId, trigger }) =>
          held !== null && keyOf(queue) === `${workflowId}/${trigger.nodeId}`,
      )
      .map(({ executionId }) => executionId)
      .sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  return {
    use: ({ executionId, workflowId, trigger, startedAt, place }) => {
      const queue = { workflowId, triggerNodeId: trigger.nodeId };
      places.set(executionId, place ?? enter(queue, startedAt));
    },
    queues: {
      list: async function* () {
        yield* [...used.values()].map(({ queue }) => queue);
      },
      find: async function* (queue) {
        yield* idsIn(queue);
      },
      measure: async (queue) => {
        const [first] = idsIn(queue);
        const lastPlace = lastPlaces.get(keyOf(queue)) ?? 0;
        return { waiting: first === undefined ? 0 : lastPlace - (places.get(first) ?? 0) + 1, lastPlace };
      },
      enter: async (queue, { now, maxPlace }) =>
        (lastPlaces.get(keyOf(queue)) ?? 0) < maxPlace ? enter(queue, now) : null,
      release: async (executionId, { workflowVersion, mode, variables, releasedAt }) => {
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
        onRelease(executionId, leaseExpiresAt, variables);
        return true;
      },
      attend: async (queue, now, until) => {
        const key = keyOf(queue);
        if (!used.has(key) || (attended.get(key) ?? now) > now) return false;
        attended.set(key, until);
        return true;
      },
      leave: async (queue) => void attended.delete(keyOf(queue)),
      close: async (queue, unusedSince) => {
        const usedAt = used.get(keyOf(queue))?.usedAt ?? Number.POSITIVE_INFINITY;
        if (usedAt < unusedSince) used.delete(keyOf(queue));
      },
    },
  };
};
