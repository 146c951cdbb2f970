import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type {
  DueGroup,
  ExecutionPage,
  ExecutionQuery,
  ExecutionSummary,
} from '../../executions/record/execution-store.ts';
import { type Item, readText, text } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { shardsOf, toIso, toSummary } from './execution-item.ts';
import type { TableNames } from './table-names.ts';
import { translateErrors } from './translate-error.ts';

/** Limit of one call: pages full of other statuses give a short list with `hasMore`. */
const MAX_PAGES = 10;

type Tables = Pick<TableNames, 'executions'>;

/** Lists the executions of a workflow from its index, the latest first. */
export const listExecutions = async (
  client: DynamoDbClient,
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
    const { Items = [], LastEvaluatedKey } = await translateErrors(
      client.query({ ...input, ExclusiveStartKey: next }),
    );
    found.push(...Items.map(toSummary));
    if (found.length > limit) return { executions: found.slice(0, limit), hasMore: true };
    if (LastEvaluatedKey === undefined) return { executions: found, hasMore: false };
    next = LastEvaluatedKey;
  }
  return { executions: found, hasMore: true };
};

/** The last year of four digits: later times do not sort as text. */
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');

const toKey = (
  workflowId: string,
  { executionId, startedAt }: NonNullable<ExecutionQuery['after']>,
): Item => ({
  workflowId: text(workflowId),
  startedAt: text(toIso(startedAt)),
  executionId: text(executionId),
});

const DUE_PAGE_SIZE = 100;

/** Reads all shards in parallel, page by page: no shard waits for the end of another. */
export async function* findDueExecutions(
  client: DynamoDbClient,
  { executions }: Tables,
  now: number,
  group: DueGroup,
): AsyncGenerator<string> {
  const queryShard = (shard: string, from: Item | undefined) =>
    translateErrors(
      client.query({
        TableName: executions,
        IndexName: 'byLeaseExpiry',
        KeyConditionExpression: 'openShard = :shard AND leaseExpiresAt <= :now',
        ExpressionAttributeValues: { ':shard': text(shard), ':now': text(toIso(now)) },
        Limit: DUE_PAGE_SIZE,
        ExclusiveStartKey: from,
      }),
    );
  let open: { readonly shard: string; readonly from?: Item }[] = shardsOf(group).map((shard) => ({ shard }));
  while (open.length > 0) {
    const pages = await Promise.all(open.map(({ shard, from }) => queryShard(shard, from)));
    open = open.flatMap(({ shard }, index) => {
      const from = pages[index]?.LastEvaluatedKey;
      return from === undefined ? [] : [{ shard, from }];
    });
    yield* pages
      .flatMap(({ Items = [] }) => Items)
      .sort((a, b) => (readText(a, 'leaseExpiresAt') < readText(b, 'leaseExpiresAt') ? -1 : 1))
      .map((item) => readText(item, 'executionId'));
  }
}
