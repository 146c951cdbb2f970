import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../contract/services.ts';
import type { ExecutionRecord, ExecutionStore } from '../executions/execution-store.ts';
import { flag, json, number, text } from './attributes.ts';
import { CALLBACK_PREFIX, isExpired, shardOf, toExpiry, toIso, toItem, toRecord } from './execution-item.ts';
import { findDueExecutions, listExecutions } from './execution-queries.ts';
import { aliasOf, type Change, IS_OPEN, toUpdate } from './execution-update.ts';
import { fitNodes } from './fit-nodes.ts';
import type { TableNames } from './table-names.ts';
import { fromStore, isWritten } from './translate-error.ts';

export interface ExecutionStoreOptions {
  /** How many days after its end a record is removed (by DynamoDB's TTL, which may be a few days late). */
  readonly retentionDays: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** An open execution is nobody's to remove: it may live a year. */
const OPEN_DAYS = 400;

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

  const find = async (executionId: string): Promise<ExecutionRecord | null> => {
    const { Item: item } = await fromStore(
      client.send(new GetItemCommand({ ...keyOf(executionId), ConsistentRead: true })),
    );
    return item === undefined || isExpired(item, clock.now()) ? null : toRecord(item);
  };

  const change = (executionId: string, what: Change) =>
    isWritten(client.send(new UpdateItemCommand({ ...keyOf(executionId), ...toUpdate(what) })));

  const expiry = (days: number) => number(toExpiry(clock.now(), days));

  return {
    find,

    start: async (start) => {
      const isNew = await isWritten(
        client.send(
          new PutItemCommand({
            TableName: tables.executions,
            Item: toItem(start, start.mode === 'inline' ? retentionDays : OPEN_DAYS),
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

    begin: async (executionId, { owner, checkAt }) => {
      const isBegun = await change(executionId, {
        condition: `#status = :accepted OR (${IS_OPEN} AND #owner = :owner)`,
        set: {
          status: text('running'),
          owner: text(owner),
          checkAt: text(toIso(checkAt)),
          expiresAt: expiry(OPEN_DAYS),
        },
        add: { invocations: number(1) },
        values: { ':owner': text(owner) },
      });
      return isBegun ? find(executionId) : null;
    },

    saveProgress: (executionId, { status, nodes, memory, checkAt }) => {
      const { kept, omitted } = fitNodes(nodes);
      return change(executionId, {
        condition: IS_OPEN,
        set: {
          status: text(status),
          nodes: json(kept),
          nodesOmitted: number(omitted),
          memory: memory === undefined ? undefined : text(memory),
          checkAt: text(toIso(checkAt)),
          expiresAt: expiry(OPEN_DAYS),
        },
        ...(status === 'waiting' ? { add: { suspensions: number(1) } } : {}),
      });
    },

    openCallback: async (executionId, name, place) => {
      const attribute = `${CALLBACK_PREFIX}${name}`;
      const isOpened = await change(executionId, {
        condition: `${IS_OPEN} AND attribute_not_exists(#${aliasOf(attribute)})`,
        set: { [attribute]: json(place) },
      });
      if (isOpened) return true;
      const record = await find(executionId);
      return record !== null && record.endedAt === null && Object.hasOwn(record.callbacks, name);
    },

    finish: async (executionId, { status, endedAt, nodes, failure, result, memory, isToBeAnnounced }) => {
      const { kept, omitted } = fitNodes(nodes);
      const isFinished = await change(executionId, {
        condition: IS_OPEN,
        set: {
          status: text(status),
          endedAt: text(toIso(endedAt)),
          nodes: json(kept),
          nodesOmitted: number(omitted),
          failure: json(failure),
          result: result === undefined ? undefined : text(result),
          memory: memory === undefined ? undefined : text(memory),
          expiresAt: expiry(retentionDays),
          ...(isToBeAnnounced
            ? {
                isToBeAnnounced: flag(true),
                openShard: text(shardOf(executionId)),
                checkAt: text(toIso(endedAt + ANNOUNCE_WITHIN_MS)),
              }
            : {}),
        },
        ...(isToBeAnnounced ? {} : { remove: ['openShard', 'checkAt'] }),
      });
      if (isFinished) return true;
      const record = await find(executionId);
      return record?.status === status && record.endedAt === endedAt;
    },

    announced: async (executionId) => {
      await change(executionId, {
        condition: 'attribute_exists(isToBeAnnounced)',
        remove: ['isToBeAnnounced', 'openShard', 'checkAt'],
      });
    },

    list: (query) => listExecutions(client, tables, query),

    findDue: (now, limit) => findDueExecutions(client, tables, now, limit),

    postpone: async (executionId, checkAt) => {
      await change(executionId, {
        condition: 'attribute_exists(openShard)',
        set: { checkAt: text(toIso(checkAt)) },
      });
    },
  };
};

/** When an end that was not announced is announced by the sweeper. */
const ANNOUNCE_WITHIN_MS = 60_000;
