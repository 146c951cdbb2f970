import { randomUUID } from 'node:crypto';
import type { HeldQueue } from '../../../executions/held/held-queues.ts';
import type { ExecutionStart } from '../../../executions/record/execution-store.ts';
import { type Item, number, readNumber, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { updateItem } from '../items.ts';
import { OPEN_DAYS, toExpiry, toIso } from './execution-item.ts';
import { toUpdate } from './execution-update.ts';
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
  client: DynamoDbClient,
  TableName: string,
  queue: HeldQueue,
  { now, maxPlace }: { readonly now: number; readonly maxPlace: number | null },
): Promise<number | null> => {
  const takenBy = randomUUID();
  const hasPlace = maxPlace === null ? '' : ' AND (attribute_not_exists(#places) OR #places < :maxPlace)';
  const change = toUpdate({
    // Because of the second part, a write that is sent again after its answer was lost takes only one place.
    condition: `attribute_not_exists(#takenBy) OR (#takenBy <> :takenBy${hasPlace})`,
    set: {
      takenBy: text(takenBy),
      usedAt: number(now),
      expiresAt: number(toExpiry(now, OPEN_DAYS)),
      sweepShard: text(QUEUES_SHARD),
    },
    compute: {
      places: 'if_not_exists(#places, :none) + :one',
      // The index is written only for the first one, since what it shows stays the same.
      sweepAt: 'if_not_exists(#sweepAt, :now)',
    },
    values: {
      ':takenBy': text(takenBy),
      ':none': number(0),
      ':one': number(1),
      ':now': text(toIso(now)),
      ...(maxPlace === null ? {} : { ':maxPlace': number(maxPlace) }),
    },
  });
  const Key = { executionId: text(queueKeyOf(queue)) };
  const stored = await updateItem(
    client,
    { TableName, Key, ...change, ReturnValues: 'UPDATED_NEW' },
    (item) => item.takenBy?.S === takenBy,
  );
  return stored === null ? null : readNumber(stored, 'places');
};

/**
 * The attributes that put a held execution into its queue in the index of sweeps. It enters the queue unless it already
 * has a place.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const queueUp = async (
  client: DynamoDbClient,
  TableName: string,
  { workflowId, trigger: { nodeId }, startedAt, place: given }: ExecutionStart,
  now: number,
): Promise<Item> => {
  const queue = { workflowId, triggerNodeId: nodeId };
  const place = given ?? (await enterQueue(client, TableName, queue, { now, maxPlace: null }));
  const [even, odd] = queuePartitions(queueKeyOf(queue));
  return place === null
    ? { sweepShard: text(even), sweepAt: text(toIso(startedAt)) }
    : { sweepShard: text(place % 2 === 0 ? even : odd), sweepAt: text(toPlaceKey(place)) };
};
