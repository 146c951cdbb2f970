import type { HeldQueue } from '../../../executions/held/held-queues.ts';

/** Sorted behind the times of now, and before the last one that sorts as text. */
const PLACE = '9999#';

/** The sort key of a held execution in its queue. */
export const toPlaceKey = (place: number): string => `${PLACE}${String(place).padStart(12, '0')}`;

/** The place of a held execution, by its sort key; null for one that an earlier release has put into the queue. */
export const placeIn = (sweepAt: string): number | null =>
  sweepAt.startsWith(PLACE) ? Number(sweepAt.slice(PLACE.length)) : null;

/** Key of the item that says that a queue is in use. No execution id has a colon, no workflow id a slash. */
export const queueKeyOf = ({ workflowId, triggerNodeId }: HeldQueue): string =>
  `${QUEUE}${workflowId}/${triggerNodeId}`;

export const readQueueKey = (key: string): HeldQueue => {
  const slash = key.indexOf('/');
  return { workflowId: key.slice(QUEUE.length, slash), triggerNodeId: key.slice(slash + 1) };
};

const QUEUE = 'held:';
const ODD_QUEUE = 'held1:';

/**
 * The partitions of a queue in the index of sweeps: an execution writes one unit there when it enters and one when it leaves. Those with
 * even and odd places alternate; those that releases before version 4 of the schema have put in have none, and are in the first.
 *
 * @param key - see `queueKeyOf`
 */
export const queuePartitions = (key: string): readonly [even: string, odd: string] => [
  key,
  `${ODD_QUEUE}${key.slice(QUEUE.length)}`,
];

/** The key of the queue that has a partition; null for another partition of the index. */
export const queueOfPartition = (partition: string): string | null =>
  partition.startsWith(ODD_QUEUE)
    ? `${QUEUE}${partition.slice(ODD_QUEUE.length)}`
    : partition.startsWith(QUEUE)
      ? partition
      : null;

/** Partition key of the queues in use, in the index of sweeps. */
export const QUEUES_SHARD = 'held';
