import { lazy } from '@hookloom/plugin-kit';
import type { HeldQueue, HeldQueues } from '../../../executions/held-queues.ts';
import { longJson, readNumber, readText } from '../attributes.ts';
import { dataDays, dataKeyOf, type Retention, toExpiry, toReleased } from '../executions/execution-item.ts';
import {
  placeIn,
  QUEUES_SHARD,
  queueKeyOf,
  queuePartitions,
  readQueueKey,
} from '../executions/queue-keys.ts';
import { ALL_TIMES, mergePartitions } from '../executions/read-lists.ts';
import {
  type Change,
  deleteItem,
  getItem,
  type IsOurs,
  onTable,
  queryPage,
  queryPages,
  updateItem,
} from '../items.ts';

const openQueue = lazy(() => import('../executions/enter-queue.chunk.ts'));

/** Small, since for a queue that may not continue only the first execution is needed. */
const PAGE_SIZE = 25;
/** Queues are small items, so a page of them costs one read unit. */
const QUEUES_PAGE_SIZE = 50;

/**
 * Queues of held executions: partitions of the index of sweeps, sorted by place. A queue's item has the same key as its
 * partition, and is itself in the partition of the queues in use.
 */
export const createHeldQueues = onTable(
  'executions',
  (table, { retentionDays }: Pick<Retention, 'retentionDays'>): HeldQueues => {
    const keyOfQueue = (queue: HeldQueue) => ({ executionId: queueKeyOf(queue) });

    const inPartition = (partition: string) => ({
      IndexName: 'bySweep',
      KeyConditionExpression: 'sweepShard = :partition',
      values: { ':partition': partition },
    });

    async function* keysIn(keys: readonly string[], pageSize: number): AsyncGenerator<string> {
      const options = { order: 'ascending', range: ALL_TIMES, pageSize } as const;
      for await (const { executionId } of mergePartitions(table, { index: 'bySweep', keys }, options))
        yield executionId;
    }

    /** Counts held executions while the queue has some from earlier releases, which have no place and come first. */
    const countAll = async (partitions: readonly string[]): Promise<number> => {
      let count = 0;
      for (const partition of partitions) {
        const pages = queryPages(table, { ...inPartition(partition), Select: 'COUNT' });
        for await (const page of pages) count += page.count;
      }
      return count;
    };

    const update = async (executionId: string, change: Change, isOurs?: IsOurs): Promise<boolean> =>
      (await updateItem(table, { executionId }, change, isOurs)) !== null;

    return {
      list: async function* () {
        for await (const key of keysIn([QUEUES_SHARD], QUEUES_PAGE_SIZE)) yield readQueueKey(key);
      },

      find: (queue) => keysIn(queuePartitions(queueKeyOf(queue)), PAGE_SIZE),

      measure: async (queue) => {
        const partitions = queuePartitions(queueKeyOf(queue));
        const [item, ...pages] = await Promise.all([
          getItem(table, keyOfQueue(queue), false),
          ...partitions.map((partition) => queryPage(table, { ...inPartition(partition), Limit: 1 })),
        ]);
        const lastPlace = readNumber(item ?? {}, 'places', 0);
        const first = pages.flatMap(({ items }) => items.map((one) => readText(one, 'sweepAt'))).sort()[0];
        if (first === undefined) return { waiting: 0, lastPlace };
        const place = placeIn(first);
        const waiting = place === null ? await countAll(partitions) : Math.max(1, lastPlace - place + 1);
        return { waiting, lastPlace };
      },

      enter: async (queue, options) => (await openQueue()).enterQueue(table, queue, options),

      release: async (executionId, { workflowVersion, mode, acceptedMode, variables, releasedAt }) => {
        // Its data first, since it has to last as long as runs of the new mode may.
        if (mode !== acceptedMode)
          await update(dataKeyOf(executionId), {
            condition: 'attribute_exists(#executionId)',
            set: { expiresAt: toExpiry(releasedAt, dataDays(mode, retentionDays)) },
          });
        // Once for each version: another process may have released it already, and its run must not see other values.
        if (variables !== undefined)
          await update(dataKeyOf(executionId), {
            condition:
              'attribute_exists(#executionId) AND (attribute_not_exists(#variablesOf) OR #variablesOf <> :set_variablesOf)',
            set: { variables: longJson(variables), variablesOf: workflowVersion },
          });
        const released = toReleased(executionId, releasedAt);
        const change: Change = {
          condition: '#status = :accepted AND attribute_exists(#held)',
          set: { workflowVersion, mode, ...released },
          remove: ['held'],
          values: { ':accepted': 'accepted' },
        };
        return update(executionId, change, (stored) => stored.releasedAt?.S === released.releasedAt);
      },

      attend: (queue, now, until) =>
        update(
          queueKeyOf(queue),
          {
            condition:
              'attribute_exists(#executionId) AND (attribute_not_exists(#attendedUntil) OR #attendedUntil <= :now)',
            set: { attendedUntil: until },
            values: { ':now': now },
          },
          (stored) => readNumber(stored, 'attendedUntil', 0) === until,
        ),

      leave: async (queue) => {
        await update(queueKeyOf(queue), {
          condition: 'attribute_exists(#attendedUntil)',
          remove: ['attendedUntil'],
        });
      },

      close: async (queue, unusedSince) => {
        const condition = 'usedAt < :unusedSince';
        await deleteItem(table, keyOfQueue(queue), { condition, values: { ':unusedSince': unusedSince } });
      },
    };
  },
);
