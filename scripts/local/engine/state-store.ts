import type { Operation } from '@aws/durable-execution-sdk-js';
import {
  CreateTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  ResourceInUseException,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { type Item, json, readJson, readText, text } from '../../../lib/dynamodb/attributes.ts';
import type { DurableState } from './durable-state.ts';

/** One durable execution, as the local engine keeps it. */
export interface LocalExecution {
  readonly arn: string;
  /** The payload that it was started with: starting it again with another one is a mistake. */
  readonly input: string;
  readonly state: DurableState;
}

/** Keeps executions in a table of the embedded DynamoDB: one item per operation, so that none gets too large. */
export interface StateStore {
  /** Writes what has changed since `before`; null for an execution that is new. */
  save(execution: LocalExecution, before: DurableState | null): Promise<void>;
  loadAll(): Promise<readonly LocalExecution[]>;
}

const META = 'meta';

export const openStateStore = async (client: DynamoDBClient, tableName: string): Promise<StateStore> => {
  await createTable(client, tableName);
  const put = (item: Item) => client.send(new PutItemCommand({ TableName: tableName, Item: item }));
  return {
    save: async ({ arn, input, state }, before) => {
      const changed = [...state.operations].filter(
        ([id, operation]) => before?.operations.get(id) !== operation,
      );
      const order = [...state.operations.keys()];
      for (const [id, operation] of changed) {
        await put({
          arn: text(arn),
          part: text(`op:${order.indexOf(id)}`),
          operation: json([id, operation]),
        });
      }
      const { status, token, callbackDeadlines } = state;
      await put({
        arn: text(arn),
        part: text(META),
        meta: json({ input, status, token, callbackDeadlines: [...callbackDeadlines] }),
      });
    },
    loadAll: async () => {
      const items: Item[] = [];
      let from: ScanCommandOutput['LastEvaluatedKey'];
      do {
        const page: ScanCommandOutput = await client.send(
          new ScanCommand({
            TableName: tableName,
            ...(from === undefined ? {} : { ExclusiveStartKey: from }),
          }),
        );
        items.push(...(page.Items ?? []));
        from = page.LastEvaluatedKey;
      } while (from !== undefined);
      return [...Map.groupBy(items, (item) => readText(item, 'arn'))].map(([arn, parts]) =>
        toExecution(arn, parts),
      );
    },
  };
};

const createTable = async (client: DynamoDBClient, tableName: string): Promise<void> => {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'arn', AttributeType: 'S' },
          { AttributeName: 'part', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'arn', KeyType: 'HASH' },
          { AttributeName: 'part', KeyType: 'RANGE' },
        ],
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error; // it is there from before
  }
};

interface Meta {
  readonly input: string;
  readonly status: DurableState['status'];
  readonly token: number;
  readonly callbackDeadlines: [string, number][];
}

const toExecution = (arn: string, parts: readonly Item[]): LocalExecution => {
  const meta = parts.find((item) => item.part?.S === META);
  if (meta === undefined) throw new Error(`the local engine has no account of ${arn}`);
  const { input, status, token, callbackDeadlines } = readJson<Meta>(meta, 'meta');
  const placeOf = (item: Item): number => Number(item.part?.S?.slice('op:'.length));
  const operations = parts
    .filter((item) => item !== meta)
    .sort((a, b) => placeOf(a) - placeOf(b))
    .map((item): [string, Operation] => {
      const [id, operation] = readJson<[string, Operation]>(item, 'operation');
      return [id, reviveDates(operation)];
    });
  const state = {
    status,
    token,
    operations: new Map(operations),
    callbackDeadlines: new Map(callbackDeadlines),
  };
  return { arn, input, state };
};

/** JSON has no dates: the engine reckons with three of them. */
const reviveDates = (operation: Operation): Operation => ({
  ...operation,
  StartTimestamp: toDate(operation.StartTimestamp),
  ...(operation.EndTimestamp === undefined ? {} : { EndTimestamp: toDate(operation.EndTimestamp) }),
  ...(operation.WaitDetails === undefined
    ? {}
    : { WaitDetails: { ScheduledEndTimestamp: toDate(operation.WaitDetails.ScheduledEndTimestamp) } }),
  ...(operation.StepDetails === undefined
    ? {}
    : {
        StepDetails: {
          ...operation.StepDetails,
          NextAttemptTimestamp: toDate(operation.StepDetails.NextAttemptTimestamp),
        },
      }),
});

const toDate = (value: Date | string | undefined): Date | undefined =>
  value === undefined ? undefined : new Date(value);
