import type { Clock } from '../../contract/services.ts';
import type {
  ExecutionEnd,
  ExecutionRecord,
  ExecutionStart,
  ExecutionStore,
} from '../../executions/record/execution-store.ts';
import {
  compact,
  type Item,
  json,
  longJson,
  number,
  optional,
  packed,
  readNumber,
  text,
} from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { dataKeyOf, toData, toDataChange, toDataItem } from './execution-data.ts';
import { SWEPT_ATTRIBUTES, toEndAttributes, toEndChange, toOutboxSweep } from './execution-end.ts';
import {
  callbackKeyOf,
  isExpired,
  OPEN_DAYS,
  queueKeyOf,
  SECONDS_PER_DAY,
  toCallback,
  toCallbackKeys,
  toExpiry,
  toItem,
  toLease,
  toQueueUse,
  toRecord,
  toSweep,
} from './execution-item.ts';
import { findDueExecutions, listExecutions } from './execution-queries.ts';
import { type Change, IS_OPEN, toUpdate } from './execution-update.ts';
import { fitNodes } from './fit-nodes.ts';
import { getItem, putItem } from './items.ts';
import type { TableNames } from './table-names.ts';
import { nullIfConditionFails } from './translate-error.ts';

interface ExecutionStoreOptions {
  /** Days after its end until a record that is started here is removed, by DynamoDB's TTL, which may be days late. */
  readonly retentionDays: number;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The records of executions, each with an item of data beside it. Every change is conditional; a final status never
 * changes. When the reply to a write is lost, the client repeats the write and its condition fails: a read then shows
 * whether the write was ours.
 */
export const createExecutionStore = (
  client: DynamoDbClient,
  tables: Pick<TableNames, 'executions'>,
  { retentionDays, clock }: ExecutionStoreOptions,
): ExecutionStore => {
  const at = (executionId: string) => ({
    TableName: tables.executions,
    Key: { executionId: text(executionId) },
  });

  const read = async (key: string): Promise<Item | null> => {
    const item = await getItem(client, { ...at(key), ConsistentRead: true });
    return item === null || isExpired(item, clock.now()) ? null : item;
  };

  const find = async (executionId: string): Promise<ExecutionRecord | null> => {
    const item = await read(executionId);
    return item === null ? null : toRecord(item);
  };

  /** False when there is such an item. */
  const putNew = (Item: Item): Promise<boolean> =>
    putItem(client, {
      TableName: tables.executions,
      Item,
      ConditionExpression: 'attribute_not_exists(executionId)',
    });

  const putRecord = async ({ executionId, startToken }: ExecutionStart, item: Item): Promise<boolean> =>
    (await putNew(item)) || (await find(executionId))?.startToken === startToken;

  /** Null when the condition does not hold. */
  const update = (key: string, change: Change, ReturnValues: 'NONE' | 'ALL_NEW' = 'NONE') =>
    nullIfConditionFails(client.updateItem({ ...at(key), ...toUpdate(change), ReturnValues }));

  /** The item afterwards; null when the condition does not hold. */
  const updateAndRead = async (key: string, change: Change): Promise<Item | null> =>
    (await update(key, change, 'ALL_NEW'))?.Attributes ?? null;

  /** Before the record: a queue that is not in use is not looked at. */
  const openQueue = ({ workflowId, trigger: { nodeId } }: ExecutionStart) =>
    update(queueKeyOf({ workflowId, triggerNodeId: nodeId }), toQueueUse(clock.now()));

  const openExpiry = () => number(toExpiry(clock.now(), OPEN_DAYS));

  /** From now on, as long as the process that started it has said. */
  const endExpiry = () => ({
    compute: { expiresAt: ':now + if_not_exists(#retentionSeconds, :retention)' },
    values: {
      ':now': number(Math.floor(clock.now() / 1_000)),
      ':retention': number(retentionDays * SECONDS_PER_DAY),
    },
  });

  /** Before the record: an execution that has ended has all its data. */
  const saveEndData = async (executionId: string, { input, checkpoints }: ExecutionEnd): Promise<void> => {
    if (input === undefined && checkpoints === undefined) return;
    const data = {
      ...(input === undefined ? {} : { input }),
      ...(checkpoints === undefined ? {} : { checkpoints }),
    };
    await update(dataKeyOf(executionId), toDataChange(data, endExpiry()));
  };

  return {
    find,

    findData: async (executionId) => {
      const item = await read(dataKeyOf(executionId));
      return item === null ? null : toData(item);
    },

    start: async (start) => {
      // First its data: no process finds a record without. That of another delivery with the same key is as good.
      if (start.input !== null) await putNew(toDataItem(start, retentionDays));
      if (start.held !== null) await openQueue(start);
      return putRecord(start, toItem(start, retentionDays));
    },

    startAndFinish: async (start, end) => {
      await saveEndData(start.executionId, end);
      const isBad = end.status !== 'succeeded';
      return putRecord(start, {
        ...toItem(start, retentionDays),
        ...compact(toEndAttributes(end)),
        ...(isBad ? { failedWorkflowId: text(start.workflowId) } : {}),
        ...toOutboxSweep(start.executionId, end),
      });
    },

    withdraw: async (executionId, startToken) => {
      const deletion = client.deleteItem({
        ...at(executionId),
        ConditionExpression: '#status = :accepted AND startToken = :token',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':accepted': text('accepted'), ':token': text(startToken) },
      });
      const deleted = await nullIfConditionFails(deletion);
      const isWithdrawn = deleted !== null || (await find(executionId)) === null;
      if (isWithdrawn) await nullIfConditionFails(client.deleteItem(at(dataKeyOf(executionId))));
      return isWithdrawn;
    },

    acquireLease: async (executionId, { leaseOwner, leaseExpiresAt, journalSize, crashes }) => {
      const item = await updateAndRead(executionId, {
        condition: `#status = :accepted OR (${IS_OPEN} AND #leaseOwner = :leaseOwner)`,
        set: {
          status: text('running'),
          leaseOwner: text(leaseOwner),
          ...toLease(leaseExpiresAt),
          journalSize: number(journalSize),
          crashes: number(crashes),
          expiresAt: openExpiry(),
        },
        add: { invocations: number(1) },
        values: { ':leaseOwner': text(leaseOwner) },
      });
      return item === null ? null : toRecord(item);
    },

    redispatch: async (executionId, leaseExpiresAt) => {
      const item = await updateAndRead(executionId, {
        condition: '#status = :accepted',
        set: { ...toLease(leaseExpiresAt), ...toSweep(executionId, 'active', leaseExpiresAt) },
        add: { redispatches: number(1) },
      });
      return item === null ? null : readNumber(item, 'redispatches');
    },

    saveProgress: async (executionId, { status, nodes, crashes, checkpoints, result, leaseExpiresAt }) => {
      const fitted = nodes === undefined ? null : fitNodes(nodes);
      if (checkpoints !== undefined)
        await update(dataKeyOf(executionId), {
          condition: 'attribute_exists(#executionId)',
          set: { checkpoints: packed(checkpoints) },
        });
      const saved = await update(executionId, {
        condition: IS_OPEN,
        set: {
          status: text(status),
          nodes: optional(fitted?.kept, longJson),
          nodesOmitted: optional(fitted?.omitted, number),
          crashes: optional(crashes, number),
          result: optional(result, packed),
          ...toLease(leaseExpiresAt),
          expiresAt: openExpiry(),
        },
      });
      return saved !== null;
    },

    openCallback: async (executionId, name, callback) => {
      await update(callbackKeyOf(executionId, name), {
        condition: 'attribute_not_exists(#executionId)',
        set: {
          callback: json(callback),
          expiresAt: number(Math.ceil(callback.expiresAt / 1_000)),
          ...toCallbackKeys(callback),
        },
      });
    },

    findCallback: async (executionId, name) => {
      const item = await read(callbackKeyOf(executionId, name));
      return item === null ? null : toCallback(item);
    },

    finish: async (executionId, end) => {
      await saveEndData(executionId, end);
      const finished = await update(executionId, toEndChange(executionId, end, endExpiry()));
      if (finished !== null) return true;
      const record = await find(executionId);
      return record?.status === end.status && record.endedAt === end.endedAt;
    },

    markPublished: async (executionId) => {
      await update(executionId, {
        condition: 'attribute_exists(#isInOutbox)',
        remove: ['isInOutbox', ...SWEPT_ATTRIBUTES],
      });
    },

    list: (query) => listExecutions(client, tables, query, clock.now()),

    findDue: (now, group) => findDueExecutions(client, tables, now, group),

    extendLease: async (executionId, leaseExpiresAt, group) => {
      await update(executionId, {
        condition: 'attribute_exists(#sweepShard)',
        set: { ...toLease(leaseExpiresAt), ...toSweep(executionId, group, leaseExpiresAt) },
      });
    },
  };
};
