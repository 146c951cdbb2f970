import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { hasEndedBadly } from '../../executions/record/execution-status.ts';
import type {
  DueGroup,
  ExecutionPage,
  ExecutionQuery,
  ExecutionSummary,
  ListPosition,
} from '../../executions/record/execution-store.ts';
import { type Item, readText, text } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { isExpired, shardsOf, toIso, toSummary } from './execution-item.ts';

import { readRecords } from './read-records.ts';
import type { TableNames } from './table-names.ts';
import { translateErrors } from './translate-error.ts';

/** Limits of one call: pages full of other statuses give a short list with a cursor. */
const MAX_PAGES = 10;
const PAGE_SIZE = 100;

type Tables = Pick<TableNames, 'executions'>;

/**
 * Lists the executions of a workflow, the latest first: keys from an index, then the records. Those that ended badly,
 * which operators look for, have an index of their own, since they may be few among many.
 */
export const listExecutions = async (
  client: DynamoDbClient,
  { executions: table }: Tables,
  { workflowId, statuses, requestId, from, to, limit, after }: ExecutionQuery,
  now: number,
): Promise<ExecutionPage> => {
  const { IndexName, key } = statuses?.every(hasEndedBadly) === true ? BY_FAILURE : BY_WORKFLOW;
  const input: QueryCommandInput = {
    TableName: table,
    IndexName,
    ScanIndexForward: false,
    Limit: statuses === undefined && requestId === undefined ? limit + 1 : PAGE_SIZE,
    KeyConditionExpression: `${key} = :workflowId AND startedAt BETWEEN :from AND :to`,
    ExpressionAttributeValues: {
      ':workflowId': text(workflowId),
      ':from': text(toIso(from ?? 0)),
      ':to': text(toIso(to ?? MAX_TIME)),
    },
  };
  const found: ExecutionSummary[] = [];
  let next = after === undefined ? undefined : { [key]: text(workflowId), ...toKey(after) };
  for (let page = 0; page < MAX_PAGES; page++) {
    const { Items = [], LastEvaluatedKey } = await translateErrors(
      client.query({ ...input, ExclusiveStartKey: next }),
    );
    const items = await readRecords(client, table, Items, SUMMARY_ATTRIBUTES);
    found.push(
      ...items
        .filter((item) => !isExpired(item, now))
        .filter((item) => requestId === undefined || item.requestId?.S === requestId)
        .map(toSummary)
        .filter(({ status }) => statuses?.includes(status) !== false),
    );
    if (found.length > limit) {
      const executions = found.slice(0, limit);
      return { executions, next: executions.at(-1) ?? null };
    }
    next = LastEvaluatedKey;
    if (next === undefined) break;
  }
  return { executions: found, next: next === undefined ? null : readKey(next) };
};

const BY_WORKFLOW = { IndexName: 'byWorkflow', key: 'workflowId' };
const BY_FAILURE = { IndexName: 'byFailure', key: 'failedWorkflowId' };

/** The attributes that a list shows, and the one that says whether it still does. */
const SUMMARY_ATTRIBUTES = [
  ...[
    'executionId',
    'workflowId',
    'workflowVersion',
    'mode',
    'status',
    'startedAt',
    'endedAt',
    'expiresAt',
    'requestId',
    'held',
  ],
];

/** The last year of four digits: later times do not sort as text. */
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');

const toKey = ({ executionId, startedAt }: ListPosition): Item => ({
  startedAt: text(toIso(startedAt)),
  executionId: text(executionId),
});

const readKey = (key: Item): ListPosition => ({
  executionId: readText(key, 'executionId'),
  startedAt: Date.parse(readText(key, 'startedAt')),
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
        IndexName: 'bySweep',
        KeyConditionExpression: 'sweepShard = :shard AND sweepAt <= :now',
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
      .sort((a, b) => (readText(a, 'sweepAt') < readText(b, 'sweepAt') ? -1 : 1))
      .map((item) => readText(item, 'executionId'));
  }
}
