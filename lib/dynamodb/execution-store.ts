import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { NodeFailure, NodeRecord } from '../executions/execution.ts';
import type { ExecutionRecord, ExecutionStart, ExecutionStore } from '../executions/execution-store.ts';
import { type Item, json, number, readJson, readNumber, readText, text } from './attributes.ts';
import { fitNodes } from './fit-nodes.ts';
import type { TableNames } from './table-names.ts';
import { fromStore, isWritten } from './translate-error.ts';

export interface ExecutionStoreOptions {
  /** After how many days DynamoDB removes a record (its TTL, which may be a few days late). */
  readonly retentionDays: number;
}

const SECONDS_PER_DAY = 86_400;

/** Records of executions. A status changes on the condition of the one before it; a final one never does. */
export const createExecutionStore = (
  client: DynamoDBClient,
  tables: Pick<TableNames, 'executions'>,
  { retentionDays }: ExecutionStoreOptions,
): ExecutionStore => ({
  start: (start) =>
    isWritten(
      client.send(
        new PutItemCommand({
          TableName: tables.executions,
          Item: toItem(start, retentionDays),
          ConditionExpression: 'attribute_not_exists(executionId)',
        }),
      ),
    ),

  finish: (executionId, { status, endedAt, nodes, failure }) => {
    const { kept, omitted } = fitNodes(nodes);
    return isWritten(
      client.send(
        new UpdateItemCommand({
          TableName: tables.executions,
          Key: { executionId: text(executionId) },
          ConditionExpression: '#status = :running',
          UpdateExpression:
            'SET #status = :status, endedAt = :endedAt, nodes = :nodes, nodesOmitted = :omitted, failure = :failure',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':running': text('running'),
            ':status': text(status),
            ':endedAt': text(toIso(endedAt)),
            ':nodes': json(kept),
            ':omitted': number(omitted),
            ':failure': json(failure),
          },
        }),
      ),
    );
  },

  find: async (executionId) => {
    const { Item: item } = await fromStore(
      client.send(
        new GetItemCommand({
          TableName: tables.executions,
          Key: { executionId: text(executionId) },
          ConsistentRead: true,
        }),
      ),
    );
    return item === undefined ? null : toRecord(item);
  },
});

/** ISO 8601 sorts as it reads, which the index by workflow and time needs. */
const toIso = (ms: number): string => new Date(ms).toISOString();

const toItem = (start: ExecutionStart, retentionDays: number): Item => ({
  executionId: text(start.executionId),
  workflowId: text(start.workflowId),
  workflowVersion: number(start.workflowVersion),
  trigger: json(start.trigger),
  status: text('running'),
  startedAt: text(toIso(start.startedAt)),
  expiresAt: number(Math.floor(start.startedAt / 1_000) + retentionDays * SECONDS_PER_DAY),
});

const toRecord = (item: Item): ExecutionRecord => ({
  executionId: readText(item, 'executionId'),
  workflowId: readText(item, 'workflowId'),
  workflowVersion: readNumber(item, 'workflowVersion'),
  trigger: readJson<ExecutionStart['trigger']>(item, 'trigger'),
  status: readText(item, 'status') as ExecutionRecord['status'],
  startedAt: Date.parse(readText(item, 'startedAt')),
  endedAt: item.endedAt === undefined ? null : Date.parse(readText(item, 'endedAt')),
  nodes: item.nodes === undefined ? [] : readJson<NodeRecord[]>(item, 'nodes'),
  nodesOmitted: item.nodesOmitted === undefined ? 0 : readNumber(item, 'nodesOmitted'),
  failure: item.failure === undefined ? null : readJson<NodeFailure | null>(item, 'failure'),
});
