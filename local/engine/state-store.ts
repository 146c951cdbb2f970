import { gunzipSync, gzipSync } from 'node:zlib';
import type { Operation } from '@aws/durable-execution-sdk-js';
import {
  type AttributeValue,
  type CreateTableCommandInput,
  type DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { type Item, readText, text } from '../../lib/adapters/dynamodb/attributes.ts';
import { ensureTable } from '../database/ensure-table.ts';
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
  /** Takes no more writes; resolves when those that have begun are done: the store may be taken away then. */
  close(): Promise<void>;
}

const META = 'meta';

export const openStateStore = async (client: DynamoDBClient, tableName: string): Promise<StateStore> => {
  await ensureTable(client, tableDefinition(tableName));

  const save: StateStore['save'] = async ({ arn, input, state }, before) => {
    const put = (part: string, value: unknown) =>
      client.send(
        new PutItemCommand({
          TableName: tableName,
          Item: { arn: text(arn), part: text(part), value: pack(value) },
        }),
      );
    const saveOperations = async () => {
      for (const [place, entry] of [...state.operations].entries()) {
        if (before?.operations.get(entry[0]) !== entry[1]) await put(`op:${place}`, entry);
      }
    };
    const { status, token, callbackDeadlines } = state;
    const meta: Meta = { input, status, token, callbackDeadlines: [...callbackDeadlines] };
    // A new execution is there once its account is; from then on no operation may be there without its deadline.
    if (before === null) await saveOperations();
    await put(META, meta);
    if (before !== null) await saveOperations();
  };

  /** The last write of each execution: the next one waits for it, or an older state could overwrite a newer. */
  const writes = new Map<string, Promise<void>>();
  let isClosed = false;

  return {
    save: (execution, before) => {
      if (isClosed) return Promise.reject(new Error('the local engine is closed'));
      const { arn } = execution;
      const write = (writes.get(arn) ?? Promise.resolve()).then(() => save(execution, before));
      const settled = write
        .catch(() => {})
        .then(() => void (writes.get(arn) === settled && writes.delete(arn)));
      writes.set(arn, settled);
      return write;
    },
    close: async () => {
      isClosed = true;
      await Promise.all(writes.values());
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
      return [...Map.groupBy(items, (item) => readText(item, 'arn'))].flatMap(([arn, parts]) =>
        toExecution(arn, parts),
      );
    },
  };
};

/** Compressed: JSON in JSON can be twice as long, and a result as large as one may be has to fit into an item. */
const pack = (value: unknown): AttributeValue => ({ B: gzipSync(JSON.stringify(value)) });

const unpack = <Value>(item: Item): Value =>
  JSON.parse(gunzipSync(item.value?.B ?? Buffer.alloc(0)).toString());

const tableDefinition = (tableName: string): CreateTableCommandInput => ({
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
});

interface Meta {
  readonly input: string;
  readonly status: DurableState['status'];
  readonly token: number;
  readonly callbackDeadlines: readonly (readonly [string, number])[];
}

/** None when the process ended before the execution was there: its caller has no answer, and starts it again. */
const toExecution = (arn: string, parts: readonly Item[]): readonly LocalExecution[] => {
  const meta = parts.find((item) => item.part?.S === META);
  if (meta === undefined) return [];
  const { input, status, token, callbackDeadlines } = unpack<Meta>(meta);
  const placeOf = (item: Item): number => Number(item.part?.S?.slice('op:'.length));
  const operations = parts
    .filter((item) => item !== meta)
    .sort((a, b) => placeOf(a) - placeOf(b))
    .map((item): [string, Operation] => {
      const [id, operation] = unpack<[string, Operation]>(item);
      return [id, reviveDates(operation)];
    });
  const state = {
    status,
    token,
    operations: new Map(operations),
    callbackDeadlines: new Map(callbackDeadlines),
  };
  return [{ arn, input, state }];
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
