import { randomUUID } from 'node:crypto';
import type { HeldQueue } from '../../../executions/held-queues.ts';
import type { ExecutionStart } from '../../../executions/record/execution-store.ts';
import { type Attributes, readNumber } from '../attributes.ts';
import { type Table, updateItem } from '../items.ts';
import { OPEN_DAYS, toExpiry, toIso } from './execution-item.ts';
import { QUEUES_SHARD, queueKeyOf, queuePartitions, toPlaceKey } from './queue-keys.ts';

/**
 * Records that a queue is in use, and gives out its next place. Places only grow: the number waiting is the distance
 * from the first waiting place to the last one given out. So no release has to write a count, and no count can stay
 * wrong: if a process is killed before it stores its execution, its place counts only until those before it have left
 * the queue. The number may be too high but never too low, and an accepted run is never refused.
 * @param maxPlace - the last place that may be given out; null for no limit
 * @returns null, with nothing changed, if there is no place
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const enterQueue = async (
  table: Table,
  queue: HeldQueue,
  { now, maxPlace }: { readonly now: number; readonly maxPlace: number | null },
): Promise<number | null> => {
  const takenBy = randomUUID();
  const hasPlace = maxPlace === null ? '' : ' AND (attribute_not_exists(#places) OR #places < :maxPlace)';
  const stored = await updateItem(
    table,
    { executionId: queueKeyOf(queue) },
    {
      // Because of the second part, a write that is sent again after its answer was lost takes only one place.
      condition: `attribute_not_exists(#takenBy) OR (#takenBy <> :set_takenBy${hasPlace})`,
      set: { takenBy, usedAt: now, expiresAt: toExpiry(now, OPEN_DAYS), sweepShard: QUEUES_SHARD },
      compute: {
        places: 'if_not_exists(#places, :none) + :one',
        // The index is written only for the first one, since what it shows stays the same.
        sweepAt: 'if_not_exists(#sweepAt, :now)',
      },
      values: { ':none': 0, ':one': 1, ':now': toIso(now), ':maxPlace': maxPlace },
    },
    (item) => item.takenBy?.S === takenBy,
    'UPDATED_NEW',
  );
  return stored === null ? null : readNumber(stored, 'places');
};

/**
 * The attributes that put a held execution into its queue in the index of sweeps. It enters the queue unless it already
 * has a place.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const queueUp = async (
  table: Table,
  { workflowId, trigger: { nodeId }, startedAt, place: given }: ExecutionStart,
  now: number,
): Promise<Attributes> => {
  const queue = { workflowId, triggerNodeId: nodeId };
  const place = given ?? (await enterQueue(table, queue, { now, maxPlace: null }));
  const [even, odd] = queuePartitions(queueKeyOf(queue));
  return place === null
    ? { sweepShard: even, sweepAt: toIso(startedAt) }
    : { sweepShard: place % 2 === 0 ? even : odd, sweepAt: toPlaceKey(place) };
};
