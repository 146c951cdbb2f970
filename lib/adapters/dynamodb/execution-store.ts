import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../contract/services.ts';
import type { ExecutionRecord, ExecutionStore } from '../../executions/record/execution-store.ts';
import { flag, type Item, json, number, readNumber, text } from './attributes.ts';
import {
  callbackKeyOf,
  isExpired,
  OPEN_DAYS,
  shardOf,
  toCallback,
  toExpiry,
  toIso,
  toItem,
  toRecord,
} from './execution-item.ts';
import { findDueExecutions, listExecutions } from './execution-queries.ts';
import { type Change, IS_OPEN, toUpdate } from './execution-update.ts';
import { fitNodes } from './fit-nodes.ts';
import type { TableNames } from './table-names.ts';
import { fromStore, isWritten } from './translate-error.ts';

interface ExecutionStoreOptions {
  /** How many days after its end a record that is started here is removed (by DynamoDB's TTL, a few days late). */
  readonly retentionDays: number;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Records of executions. Every change is conditional; a final status never changes. When the reply to a write is lost,
 * the SDK writes again and meets its own record: what tells it from somebody else's is looked at then.
 */
export const createExecutionStore = (
  client: DynamoDBClient,
  tables: Pick<TableNames, 'executions'>,
  { retentionDays, clock }: ExecutionStoreOptions,
): ExecutionStore => {
  const keyOf = (executionId: string) => ({
    TableName: tables.executions,
    Key: { executionId: text(executionId) },
  });

  const read = async (key: string): Promise<Item | null> => {
    const { Item: item } = await fromStore(
      client.send(new GetItemCommand({ ...keyOf(key), ConsistentRead: true })),
    );
    return item === undefined || isExpired(item, clock.now()) ? null : item;
  };

  const find = async (executionId: string): Promise<ExecutionRecord | null> => {
    const item = await read(executionId);
    return item === null ? null : toRecord(item);
  };

  /** False when the condition did not hold. */
  const change = (key: string, what: Change): Promise<boolean> =>
    isWritten(client.send(new UpdateItemCommand({ ...keyOf(key), ...toUpdate(what) })));

  /** The item as it is then; null when the condition did not hold. */
  const changeAndRead = async (key: string, what: Change): Promise<Item | null> => {
    const written = client.send(
      new UpdateItemCommand({ ...keyOf(key), ...toUpdate(what), ReturnValues: 'ALL_NEW' }),
    );
    return (await isWritten(written)) ? ((await written).Attributes ?? {}) : null;
  };

  const openExpiry = () => number(toExpiry(clock.now(), OPEN_DAYS));

  return {
    find,

    start: async (start) => {
      const isNew = await isWritten(
        client.send(
          new PutItemCommand({
            TableName: tables.executions,
            Item: toItem(start, retentionDays),
            ConditionExpression: 'attribute_not_exists(executionId)',
          }),
        ),
      );
      return isNew || (await find(start.executionId))?.startToken === start.startToken;
    },

    withdraw: async (executionId, startToken) => {
      const isWithdrawn = await isWritten(
        client.send(
          new DeleteItemCommand({
            ...keyOf(executionId),
            ConditionExpression: '#status = :accepted AND startToken = :token',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ':accepted': text('accepted'), ':token': text(startToken) },
          }),
        ),
      );
      return isWithdrawn || (await find(executionId)) === null;
    },

    acquireLease: async (executionId, { leaseOwner, leaseExpiresAt, journalSize, crashes }) => {
      const begun = await changeAndRead(executionId, {
        condition: `#status = :accepted OR (${IS_OPEN} AND #leaseOwner = :leaseOwner)`,
        set: {
          status: text('running'),
          leaseOwner: text(leaseOwner),
          openShard: text(shardOf(executionId, 'active')),
          leaseExpiresAt: text(toIso(leaseExpiresAt)),
          journalSize: number(journalSize),
          crashes: number(crashes),
          expiresAt: openExpiry(),
        },
        add: { invocations: number(1) },
        values: { ':leaseOwner': text(leaseOwner) },
      });
      return begun === null ? null : toRecord(begun);
    },

    redispatch: async (executionId, leaseExpiresAt) => {
      const counted = await changeAndRead(executionId, {
        condition: '#status = :accepted',
        set: { leaseExpiresAt: text(toIso(leaseExpiresAt)) },
        add: { redispatches: number(1) },
      });
      return counted === null ? null : readNumber(counted, 'redispatches');
    },

    saveProgress: (executionId, { status, nodes, crashes, checkpoints, leaseExpiresAt }) => {
      const fitted = nodes === undefined ? null : fitNodes(nodes);
      return change(executionId, {
        condition: IS_OPEN,
        set: {
          status: text(status),
          nodes: fitted === null ? undefined : json(fitted.kept),
          nodesOmitted: fitted === null ? undefined : number(fitted.omitted),
          crashes: crashes === undefined ? undefined : number(crashes),
          checkpoints: checkpoints === undefined ? undefined : text(checkpoints),
          openShard: text(shardOf(executionId, status === 'waiting' ? 'waiting' : 'active')),
          leaseExpiresAt: text(toIso(leaseExpiresAt)),
          expiresAt: openExpiry(),
        },
      });
    },

    openCallback: async (executionId, name, callback) => {
      await change(callbackKeyOf(executionId, name), {
        condition: 'attribute_not_exists(#executionId)',
        set: { callback: json(callback), expiresAt: number(Math.ceil(callback.expiresAt / 1_000)) },
      });
    },

    findCallback: async (executionId, name) => {
      const item = await read(callbackKeyOf(executionId, name));
      return item === null ? null : toCallback(item);
    },

    finish: async (executionId, end) => {
      const { status, endedAt, nodes, nodesOmitted = 0, failure, input, result, checkpoints } = end;
      const { kept, omitted } = fitNodes(nodes);
      const isFinished = await change(executionId, {
        condition: IS_OPEN,
        set: {
          status: text(status),
          endedAt: text(toIso(endedAt)),
          nodes: json(kept),
          nodesOmitted: number(nodesOmitted + omitted),
          failure: json(failure),
          input: input === undefined ? undefined : text(input),
          result: result === undefined ? undefined : text(result),
          checkpoints: checkpoints === undefined ? undefined : text(checkpoints),
          ...(end.isInOutbox
            ? {
                isInOutbox: flag(true),
                openShard: text(shardOf(executionId, 'active')),
                leaseExpiresAt: text(toIso(endedAt + PUBLISH_WITHIN_MS)),
              }
            : {}),
        },
        compute: { expiresAt: ':now + if_not_exists(#retentionSeconds, :retention)' },
        values: {
          ':now': number(Math.floor(clock.now() / 1_000)),
          ':retention': number(retentionDays * 86_400),
        },
        ...(end.isInOutbox ? {} : { remove: ['openShard', 'leaseExpiresAt'] }),
      });
      if (isFinished) return true;
      const record = await find(executionId);
      return record?.status === status && record.endedAt === endedAt;
    },

    markPublished: async (executionId) => {
      await change(executionId, {
        condition: 'attribute_exists(#isInOutbox)',
        remove: ['isInOutbox', 'openShard', 'leaseExpiresAt'],
      });
    },

    list: (query) => listExecutions(client, tables, query),

    findDue: (now, group) => findDueExecutions(client, tables, now, group),

    extendLease: async (executionId, leaseExpiresAt) => {
      await change(executionId, {
        condition: 'attribute_exists(#openShard)',
        set: { leaseExpiresAt: text(toIso(leaseExpiresAt)) },
      });
    },
  };
};

/** When an end that was not announced is announced by the sweeper. */
const PUBLISH_WITHIN_MS = 60_000;
