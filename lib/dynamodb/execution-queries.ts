import { type DynamoDBClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { ExecutionPage, ExecutionQuery, ExecutionSummary } from '../executions/execution-store.ts';
import { type Item, readText, text } from './attributes.ts';
import { SHARDS, toIso, toSummary } from './execution-item.ts';
import type { TableNames } from './table-names.ts';
import { fromStore } from './translate-error.ts';

/** A rare status may be far away: after as many pages the list says that there is more, and is read on from there. */
const MAX_PAGES = 10;

type Tables = Pick<TableNames, 'executions'>;

/** The executions of one workflow, by its index, the latest first. */
export const listExecutions = async (
  client: DynamoDBClient,
  { executions }: Tables,
  { workflowId, status, from, to, limit, after }: ExecutionQuery,
): Promise<ExecutionPage> => {
  const input: QueryCommandInput = {
    TableName: executions,
    IndexName: 'byWorkflow',
    ScanIndexForward: false,
    KeyConditionExpression: 'workflowId = :workflowId AND startedAt BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':workflowId': text(workflowId),
      ':from': text(toIso(from ?? 0)),
      ':to': text(toIso(to ?? MAX_TIME)),
      ...(status === undefined ? {} : { ':status': text(status) }),
    },
    ...(status === undefined
      ? {}
      : { FilterExpression: '#status = :status', ExpressionAttributeNames: { '#status': 'status' } }),
  };
  const found: ExecutionSummary[] = [];
  let next = after === undefined ? undefined : toKey(workflowId, after);
  for (let page = 0; page < MAX_PAGES; page++) {
    const { Items = [], LastEvaluatedKey } = await fromStore(
      client.send(new QueryCommand({ ...input, ...(next === undefined ? {} : { ExclusiveStartKey: next }) })),
    );
    found.push(...Items.map(toSummary));
    if (found.length > limit) return { executions: found.slice(0, limit), hasMore: true };
    if (LastEvaluatedKey === undefined) return { executions: found, hasMore: false };
    next = LastEvaluatedKey;
  }
  return { executions: found, hasMore: true };
};

/** The last that ISO 8601 sorts rightly: four digits of a year. */
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');

const toKey = (
  workflowId: string,
  { executionId, startedAt }: NonNullable<ExecutionQuery['after']>,
): Item => ({
  workflowId: text(workflowId),
  startedAt: text(toIso(startedAt)),
  executionId: text(executionId),
});

/** The longest overdue first. */
export const findDueExecutions = async (
  client: DynamoDBClient,
  { executions }: Tables,
  now: number,
  limit: number,
): Promise<string[]> => {
  const queryShard = async (shard: string): Promise<Item[]> => {
    const { Items = [] } = await fromStore(
      client.send(
        new QueryCommand({
          TableName: executions,
          IndexName: 'byCheckTime',
          KeyConditionExpression: 'openShard = :shard AND checkAt <= :now',
          ExpressionAttributeValues: { ':shard': text(shard), ':now': text(toIso(now)) },
          Limit: limit,
        }),
      ),
    );
    return Items;
  };
  const due = (await Promise.all(SHARDS.map(queryShard))).flat();
  return due
    .map((item) => ({ executionId: readText(item, 'executionId'), checkAt: readText(item, 'checkAt') }))
    .sort((a, b) => (a.checkAt < b.checkAt ? -1 : 1))
    .slice(0, limit)
    .map(({ executionId }) => executionId);
};
