import type {
  BulkRetry,
  BulkRetryStore,
  BulkStop,
  RefusedRetry,
} from '../../../executions/bulk/bulk-retry.ts';
import {
  type Attributes,
  type Item,
  json,
  longJson,
  readJson,
  readLongJson,
  readNumber,
  readText,
} from '../attributes.ts';
import {
  type Change,
  deleteItem,
  findItem,
  getItem,
  onTable,
  putItem,
  queryAll,
  queryFirst,
  updateItem,
} from '../items.ts';
import { isExpired, type Retention, toExpiry } from './execution-item.ts';

/** The partition of all bulk retries, and the one of those that have not ended. No id is one of these. */
const ALL = 'all';
const ACTIVE = 'active';

/** Ids in one item: 43 kilobytes. */
const IDS_PER_ITEM = 1_000;

/**
 * A bulk retry is one item; the executions that it retries, which never change, are further ones in a partition of their
 * own. They have a table of their own because the sort key lists them by time, and only two functions need them.
 */
export const createBulkRetryStore = onTable(
  'bulkRetries',
  (table, { retentionDays, clock }: Retention): BulkRetryStore => {
    const keyOfRetry = (bulkRetryId: string) => ({ partition: ALL, place: bulkRetryId });

    const put = (partition: string, place: string, attributes: Attributes) =>
      putItem(table, { partition, place }, attributes);
    /** Makes a change that can be repeated. */
    const update = async (bulkRetryId: string, change: Change): Promise<BulkRetry | null> => {
      const item = await updateItem(table, keyOfRetry(bulkRetryId), change, null, 'ALL_NEW');
      return item === null ? null : toBulkRetry(item);
    };
    const deactivate = (bulkRetryId: string) => deleteItem(table, { partition: ACTIVE, place: bulkRetryId });
    const listPartition = (partition: string, ConsistentRead: boolean) =>
      queryAll(table, {
        ConsistentRead,
        KeyConditionExpression: '#partition = :partition',
        values: { ':partition': partition },
      });

    return {
      create: async ({ bulkRetryId, request, by, createdAt, ...progress }, executionIds) => {
        const expiresAt = toExpiry(createdAt, retentionDays);
        for (let from = 0; from < executionIds.length; from += IDS_PER_ITEM) {
          const ids = executionIds.slice(from, from + IDS_PER_ITEM);
          const place = String(from / IDS_PER_ITEM).padStart(4, '0');
          await put(bulkRetryId, place, { executionIds: longJson(ids), expiresAt });
        }
        // Before the bulk retry itself, so that none is active without being found.
        await put(ACTIVE, bulkRetryId, { expiresAt });
        await put(ALL, bulkRetryId, {
          request: json(request),
          by,
          createdAt,
          marks: longJson(progress.marks),
          refused: longJson(progress.refused),
          leaseExpiresAt: 0,
          expiresAt,
        });
      },

      find: (bulkRetryId) =>
        findItem(table, keyOfRetry(bulkRetryId), (item) =>
          isExpired(item, clock.now()) ? null : toBulkRetry(item),
        ),

      findExecutions: async (bulkRetryId) =>
        (await listPartition(bulkRetryId, true)).flatMap((item) =>
          readLongJson<string[]>(item, 'executionIds', []),
        ),

      list: async (limit, after) => {
        const { items, hasMore } = await queryFirst(
          table,
          {
            KeyConditionExpression: `#partition = :all${after === null ? '' : ' AND place < :after'}`,
            values: { ':all': ALL, ':after': after },
            ScanIndexForward: false,
          },
          limit,
        );
        const last = items.at(-1);
        return {
          bulkRetries: items.filter((item) => !isExpired(item, clock.now())).map(toBulkRetry),
          next: hasMore && last !== undefined ? readText(last, 'place') : null,
        };
      },

      findActive: async () => (await listPartition(ACTIVE, false)).map((item) => readText(item, 'place')),

      acquireLease: async (bulkRetryId, { owner, expiresAt }, now) => {
        const known = await getItem(table, keyOfRetry(bulkRetryId));
        // Another process is storing it right now, or crashed before it had.
        if (known === null) return null;
        if (known.endedAt !== undefined) {
          await deactivate(bulkRetryId);
          return null;
        }
        return update(bulkRetryId, {
          condition:
            'attribute_exists(#place) AND attribute_not_exists(#endedAt) AND (#leaseExpiresAt <= :now OR #leaseOwner = :set_leaseOwner)',
          set: { leaseOwner: owner, leaseExpiresAt: expiresAt },
          values: { ':now': now },
        });
      },

      save: async (bulkRetryId, { marks, refused, stop, endedAt }, { owner, expiresAt }) => {
        const saved = await update(bulkRetryId, {
          condition: '#leaseOwner = :owner',
          set: {
            marks: longJson(marks),
            refused: longJson(refused),
            endedAt,
            leaseExpiresAt: expiresAt,
          },
          ...(stop === null ? {} : { compute: { stop: 'if_not_exists(#stop, :stop)' } }),
          values: { ':owner': owner, ':stop': json(stop) },
        });
        if (saved !== null && endedAt !== null) await deactivate(bulkRetryId);
        return saved;
      },

      stop: (bulkRetryId, stop) =>
        update(bulkRetryId, {
          condition:
            'attribute_exists(#place) AND attribute_not_exists(#endedAt) AND (attribute_not_exists(#stop) OR #stop = :set_stop)',
          set: { stop: json(stop) },
        }),
    };
  },
);

const toBulkRetry = (item: Item): BulkRetry => ({
  bulkRetryId: readText(item, 'place'),
  request: readJson(item, 'request'),
  by: item.by?.S ?? null,
  createdAt: readNumber(item, 'createdAt'),
  marks: readLongJson<string>(item, 'marks', ''),
  refused: readLongJson<RefusedRetry[]>(item, 'refused', []),
  stop: readJson<BulkStop | null>(item, 'stop', null),
  endedAt: readNumber(item, 'endedAt', null),
});
