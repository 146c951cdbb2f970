import { type DynamoDBClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type {
  DueGroup,
  ExecutionPage,
  ExecutionQuery,
  ExecutionSummary,
} from '../../executions/record/execution-store.ts';
import { type Item, readText, text } from './attributes.ts';
import { shardsOf, toIso, toSummary } from './execution-item.ts';
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

/** How many ids of one shard are read at once. */
const DUE_PAGE = 100;

/** Page by page of all shards side by side: none of them has to wait for the end of another. */
export async function* findDueExecutions(
  client: DynamoDBClient,
  { executions }: Tables,
  now: number,
  group: DueGroup,
): AsyncGenerator<string> {
  const queryShard = (shard: string, from: Item | undefined) =>
    fromStore(
      client.send(
        new QueryCommand({
          TableName: executions,
          IndexName: 'byCheckTime',
          KeyConditionExpression: 'openShard = :shard AND leaseExpiresAt <= :now',
          ExpressionAttributeValues: { ':shard': text(shard), ':now': text(toIso(now)) },
          Limit: DUE_PAGE,
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
        }),
      ),
    );
  let open: { readonly shard: string; readonly from: Item | undefined }[] = shardsOf(group).map((shard) => ({
    shard,
    from: undefined,
  }));
  while (open.length > 0) {
    const pages = await Promise.all(open.map(({ shard, from }) => queryShard(shard, from)));
    open = open.flatMap(({ shard }, index) => {
      const from = pages[index]?.LastEvaluatedKey;
      return from === undefined ? [] : [{ shard, from }];
    });
    yield* pages
      .flatMap(({ Items = [] }) => Items)
      .map((item) => ({
        executionId: readText(item, 'executionId'),
        leaseExpiresAt: readText(item, 'leaseExpiresAt'),
      }))
      .sort((a, b) => (a.leaseExpiresAt < b.leaseExpiresAt ? -1 : 1))
      .map(({ executionId }) => executionId);
  }
}
