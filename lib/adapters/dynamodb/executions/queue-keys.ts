import type { HeldQueue } from '../../../executions/held-queues.ts';

/** Sorts after any current time, and before the last time that sorts as text. */
const PLACE = '9999#';

/** The sort key of a held execution in its queue. */
export const toPlaceKey = (place: number): string => `${PLACE}${String(place).padStart(12, '0')}`;

/** The place of a held execution, read from its sort key; null if an earlier release queued it. */
export const placeIn = (sweepAt: string): number | null =>
  sweepAt.startsWith(PLACE) ? Number(sweepAt.slice(PLACE.length)) : null;

/**
 * The key of the item that says that a queue is in use. No execution id contains a colon, and no workflow id a slash.
 */
export const queueKeyOf = ({ workflowId, triggerNodeId }: HeldQueue): string =>
  `${QUEUE}${workflowId}/${triggerNodeId}`;

export const readQueueKey = (key: string): HeldQueue => {
  const slash = key.indexOf('/');
  return { workflowId: key.slice(QUEUE.length, slash), triggerNodeId: key.slice(slash + 1) };
};

const QUEUE = 'held:';
const ODD_QUEUE = 'held1:';

/**
 * The partitions of a queue in the index of sweeps, to which an execution writes one unit when it enters and one when
 * it leaves. Even and odd places are in different partitions. Executions queued by releases before version 4 of the
 * schema have no place, and are in the first partition.
 * @param key - see `queueKeyOf`
 */
export const queuePartitions = (key: string): readonly [even: string, odd: string] => [
  key,
  `${ODD_QUEUE}${key.slice(QUEUE.length)}`,
];

/** The key of the queue that a partition belongs to; null for any other partition of the index. */
export const queueOfPartition = (partition: string): string | null =>
  partition.startsWith(ODD_QUEUE)
    ? `${QUEUE}${partition.slice(ODD_QUEUE.length)}`
    : partition.startsWith(QUEUE)
      ? partition
      : null;

/** The partition key of the queues in use, in the index of sweeps. */
export const QUEUES_SHARD = 'held';
