import type {
  BulkRetry,
  BulkRetryStore,
  BulkStop,
  RefusedRetry,
} from '../../../executions/bulk/bulk-retry.ts';
import {
  compact,
  type Item,
  json,
  longJson,
  number,
  optional,
  readJson,
  readLongJson,
  readNumber,
  readText,
  text,
} from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { deleteItem, getItem, putItem, queryAll, queryFirst, updateItem } from '../items.ts';
import type { TableNames } from '../table-names.ts';
import { isExpired, toExpiry } from './execution-item.ts';
import { type Change, toUpdate } from './execution-update.ts';

interface BulkRetryStoreOptions {
  readonly retentionDays: number;
  readonly clock: { now(): number };
}

/** The partition of all bulk retries, and the one of those that have not ended. No id is one of these. */
const ALL = 'all';
const ACTIVE = 'active';

/** Ids in one item: 43 kilobytes. */
const IDS_PER_ITEM = 1_000;

/**
 * A bulk retry is one item; the executions that it retries, which never change, are further ones in a partition of their
 * own. They have a table of their own because the sort key lists them by time, and only two functions need them.
 */
export const createBulkRetryStore = (
  client: DynamoDbClient,
  { bulkRetries: TableName }: Pick<TableNames, 'bulkRetries'>,
  { retentionDays, clock }: BulkRetryStoreOptions,
): BulkRetryStore => {
  const keyOf = (partition: string, place: string) => ({ partition: text(partition), place: text(place) });
  const at = (bulkRetryId: string) => ({ TableName, Key: keyOf(ALL, bulkRetryId) });

  const put = async (Key: Item, item: Item): Promise<void> => {
    await putItem(client, { TableName, Key, Item: { ...Key, ...item } }, null);
  };
  /** Makes a change that can be repeated. */
  const update = async (bulkRetryId: string, change: Change): Promise<BulkRetry | null> => {
    const input = { ...at(bulkRetryId), ...toUpdate(change), ReturnValues: 'ALL_NEW' as const };
    const item = await updateItem(client, input, null);
    return item === null ? null : toBulkRetry(item);
  };
  const deactivate = async (bulkRetryId: string): Promise<void> => {
    await deleteItem(client, { TableName, Key: keyOf(ACTIVE, bulkRetryId) });
  };

  return {
    create: async ({ bulkRetryId, request, by, createdAt, ...progress }, executionIds) => {
      const expiresAt = number(toExpiry(createdAt, retentionDays));
      for (let from = 0; from < executionIds.length; from += IDS_PER_ITEM) {
        const ids = executionIds.slice(from, from + IDS_PER_ITEM);
        const place = String(from / IDS_PER_ITEM).padStart(4, '0');
        await put(keyOf(bulkRetryId, place), { executionIds: longJson(ids), expiresAt });
      }
      // Before the bulk retry itself, so that none is active without being found.
      await put(keyOf(ACTIVE, bulkRetryId), { expiresAt });
      await put(
        keyOf(ALL, bulkRetryId),
        compact({
          request: json(request),
          by: optional(by, text),
          createdAt: number(createdAt),
          marks: longJson(progress.marks),
          refused: longJson(progress.refused),
          leaseExpiresAt: number(0),
          expiresAt,
        }),
      );
    },

    find: async (bulkRetryId) => {
      const item = await getItem(client, { ...at(bulkRetryId), ConsistentRead: true });
      return item === null || isExpired(item, clock.now()) ? null : toBulkRetry(item);
    },

    findExecutions: async (bulkRetryId) => {
      const items = await queryAll(client, {
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': 'partition' },
        ExpressionAttributeValues: { ':partition': text(bulkRetryId) },
      });
      return items.flatMap((item) => readLongJson<string[]>(item, 'executionIds', []));
    },

    list: async (limit, after) => {
      const { items, hasMore } = await queryFirst(
        client,
        {
          TableName,
          KeyConditionExpression: `#partition = :all${after === null ? '' : ' AND place < :after'}`,
          ExpressionAttributeNames: { '#partition': 'partition' },
          ExpressionAttributeValues: {
            ':all': text(ALL),
            ...(after === null ? {} : { ':after': text(after) }),
          },
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

    findActive: async () => {
      const items = await queryAll(client, {
        TableName,
        KeyConditionExpression: '#partition = :active',
        ExpressionAttributeNames: { '#partition': 'partition' },
        ExpressionAttributeValues: { ':active': text(ACTIVE) },
      });
      return items.map((item) => readText(item, 'place'));
    },

    acquireLease: async (bulkRetryId, { owner, expiresAt }, now) => {
      const known = await getItem(client, { ...at(bulkRetryId), ConsistentRead: true });
      // Another process is storing it right now, or crashed before it had.
      if (known === null) return null;
      if (known.endedAt !== undefined) {
        await deactivate(bulkRetryId);
        return null;
      }
      return update(bulkRetryId, {
        condition:
          'attribute_exists(#place) AND attribute_not_exists(#endedAt) AND (#leaseExpiresAt <= :now OR #leaseOwner = :set_leaseOwner)',
        set: { leaseOwner: text(owner), leaseExpiresAt: number(expiresAt) },
        values: { ':now': number(now) },
      });
    },

    save: async (bulkRetryId, { marks, refused, stop, endedAt }, { owner, expiresAt }) => {
      const saved = await update(bulkRetryId, {
        condition: '#leaseOwner = :owner',
        set: {
          marks: longJson(marks),
          refused: longJson(refused),
          endedAt: optional(endedAt, number),
          leaseExpiresAt: number(expiresAt),
        },
        ...(stop === null ? {} : { compute: { stop: 'if_not_exists(#stop, :stop)' } }),
        values: { ':owner': text(owner), ...(stop === null ? {} : { ':stop': json(stop) }) },
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
};

const toBulkRetry = (item: Item): BulkRetry => ({
  bulkRetryId: readText(item, 'place'),
  request: readJson(item, 'request'),
  by: item.by?.S ?? null,
  createdAt: readNumber(item, 'createdAt'),
  marks: readLongJson<string>(item, 'marks', ''),
  refused: readLongJson<RefusedRetry[]>(item, 'refused', []),
  stop: readJson<BulkStop | null>(item, 'stop', null),
  endedAt: item.endedAt === undefined ? null : readNumber(item, 'endedAt'),
});
