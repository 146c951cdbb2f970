import type { Clock } from '../../contract/services.ts';
import type {
  ExecutionRecord,
  ExecutionStore,
  PendingCallback,
} from '../../executions/record/execution-store.ts';
import { flag, type Item, json, number, optional, readJson, readNumber, text } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import {
  callbackKeyOf,
  isExpired,
  OPEN_DAYS,
  toExpiry,
  toIso,
  toItem,
  toLease,
  toRecord,
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

/** Lease of a finished execution in the outbox: after it, the sweeper publishes the end. */
const OUTBOX_LEASE_MS = 60_000;

/**
 * The records of executions. Every change is conditional; a final status never changes. When the reply to a write is
 * lost, the client repeats the write and its condition fails: a read then shows whether the write was ours.
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

  /** Null when the condition does not hold. */
  const update = (key: string, change: Change, ReturnValues: 'NONE' | 'ALL_NEW' = 'NONE') =>
    nullIfConditionFails(client.updateItem({ ...at(key), ...toUpdate(change), ReturnValues }));

  /** The item afterwards; null when the condition does not hold. */
  const updateAndRead = async (key: string, change: Change): Promise<Item | null> =>
    (await update(key, change, 'ALL_NEW'))?.Attributes ?? null;

  const openExpiry = () => number(toExpiry(clock.now(), OPEN_DAYS));

  return {
    find,

    start: async (start) => {
      const isNew = await putItem(client, {
        TableName: tables.executions,
        Item: toItem(start, retentionDays),
        ConditionExpression: 'attribute_not_exists(executionId)',
      });
      return isNew || (await find(start.executionId))?.startToken === start.startToken;
    },

    withdraw: async (executionId, startToken) => {
      const deletion = client.deleteItem({
        ...at(executionId),
        ConditionExpression: '#status = :accepted AND startToken = :token',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':accepted': text('accepted'), ':token': text(startToken) },
      });
      const deleted = await nullIfConditionFails(deletion);
      return deleted !== null || (await find(executionId)) === null;
    },

    acquireLease: async (executionId, { leaseOwner, leaseExpiresAt, journalSize, crashes }) => {
      const item = await updateAndRead(executionId, {
        condition: `#status = :accepted OR (${IS_OPEN} AND #leaseOwner = :leaseOwner)`,
        set: {
          status: text('running'),
          leaseOwner: text(leaseOwner),
          ...toLease(executionId, 'active', leaseExpiresAt),
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
        set: { leaseExpiresAt: text(toIso(leaseExpiresAt)) },
        add: { redispatches: number(1) },
      });
      return item === null ? null : readNumber(item, 'redispatches');
    },

    saveProgress: async (executionId, { status, nodes, crashes, checkpoints, leaseExpiresAt }) => {
      const fitted = nodes === undefined ? null : fitNodes(nodes);
      const saved = await update(executionId, {
        condition: IS_OPEN,
        set: {
          status: text(status),
          nodes: optional(fitted?.kept, json),
          nodesOmitted: optional(fitted?.omitted, number),
          crashes: optional(crashes, number),
          checkpoints: optional(checkpoints, text),
          ...toLease(executionId, status === 'waiting' ? 'waiting' : 'active', leaseExpiresAt),
          expiresAt: openExpiry(),
        },
      });
      return saved !== null;
    },

    openCallback: async (executionId, name, callback) => {
      await update(callbackKeyOf(executionId, name), {
        condition: 'attribute_not_exists(#executionId)',
        set: { callback: json(callback), expiresAt: number(Math.ceil(callback.expiresAt / 1_000)) },
      });
    },

    findCallback: async (executionId, name) => {
      const item = await read(callbackKeyOf(executionId, name));
      return item === null ? null : readJson<PendingCallback>(item, 'callback');
    },

    finish: async (executionId, end) => {
      const {
        status,
        endedAt,
        nodes,
        nodesOmitted = 0,
        failure,
        input,
        result,
        checkpoints,
        isInOutbox,
      } = end;
      const { kept, omitted } = fitNodes(nodes);
      const finished = await update(executionId, {
        condition: IS_OPEN,
        set: {
          status: text(status),
          endedAt: text(toIso(endedAt)),
          nodes: json(kept),
          nodesOmitted: number(nodesOmitted + omitted),
          failure: json(failure),
          input: optional(input, text),
          result: optional(result, text),
          checkpoints: optional(checkpoints, text),
          isInOutbox: isInOutbox ? flag(true) : undefined,
          ...(isInOutbox ? toLease(executionId, 'active', endedAt + OUTBOX_LEASE_MS) : {}),
        },
        compute: { expiresAt: ':now + if_not_exists(#retentionSeconds, :retention)' },
        values: {
          ':now': number(Math.floor(clock.now() / 1_000)),
          ':retention': number(retentionDays * 86_400),
        },
        remove: isInOutbox ? [] : ['openShard', 'leaseExpiresAt'],
      });
      if (finished !== null) return true;
      const record = await find(executionId);
      return record?.status === status && record.endedAt === endedAt;
    },

    markPublished: async (executionId) => {
      await update(executionId, {
        condition: 'attribute_exists(#isInOutbox)',
        remove: ['isInOutbox', 'openShard', 'leaseExpiresAt'],
      });
    },

    list: (query) => listExecutions(client, tables, query),

    findDue: (now, group) => findDueExecutions(client, tables, now, group),

    extendLease: async (executionId, leaseExpiresAt) => {
      await update(executionId, {
        condition: 'attribute_exists(#openShard)',
        set: { leaseExpiresAt: text(toIso(leaseExpiresAt)) },
      });
    },
  };
};
