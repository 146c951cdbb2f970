import { gunzipSync, gzipSync } from 'node:zlib';
import type { Operation } from '@aws/durable-execution-sdk-js';
import {
  type AttributeValue,
  type CreateTableCommandInput,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
  paginateScan,
  type QueryCommandOutput,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { ensureTable } from '../database/ensure-table.ts';
import type { InvocationContext } from '../pool/messages.ts';
import type { DurableState } from './durable-state.ts';

/** One durable execution of the local engine. */
export interface LocalExecution {
  readonly arn: string;
  /** The payload of its start, JSON text. */
  readonly input: string;
  readonly state: DurableState;
}

/** An acknowledged invocation that has neither succeeded nor exhausted its retries. */
export interface AsyncInvocation {
  /** Shared by all its attempts, as in Lambda. */
  readonly requestId: string;
  /** The function's key. */
  readonly name: string;
  /** The event as JSON text. */
  readonly event: string;
  /** Failed attempts; one that ended with this process does not count. */
  readonly failures: number;
  /** Why the last one failed; empty before the first failure. */
  readonly reason: string;
  readonly context?: InvocationContext;
}

/** Executions in a table of the embedded DynamoDB: one item per operation, so that none gets too large. */
export interface StateStore {
  /** Writes the changes since `before`; null for a new execution. */
  save(execution: LocalExecution, before: DurableState | null): Promise<void>;
  loadAll(): Promise<readonly LocalExecution[]>;
  /** Removes an execution that has ended. */
  remove(execution: LocalExecution): Promise<void>;
  /** Stores an invocation, or changes of a stored one. */
  saveInvocation(invocation: AsyncInvocation): Promise<void>;
  removeInvocation(requestId: string): Promise<void>;
  loadInvocations(): Promise<readonly AsyncInvocation[]>;
  /** Refuses further writes; resolves when the pending ones are done. */
  close(): Promise<void>;
}

type Item = Record<string, AttributeValue>;

/** How the items of a table on disk say which release wrote them. */
interface Versions {
  /** Attributes that every item gets. */
  readonly stamp: Item;
  /** Rejects for items that this release can't read. */
  readonly check: (items: readonly Item[]) => Promise<void>;
}

const textAttribute = (value: string): AttributeValue => ({ S: value });

const META = 'meta';
/** Partition key of the stored invocations. */
const INVOCATIONS = 'invocations';

/** Opens the store of an engine. Without a stamp and a check, for a table in memory. */
export const openStateStore = async (
  client: DynamoDBClient,
  tableName: string,
  { stamp, check }: Versions = { stamp: {}, check: async () => {} },
): Promise<StateStore> => {
  const readAll = async (
    pages: AsyncIterable<Pick<QueryCommandOutput | ScanCommandOutput, 'Items'>>,
  ): Promise<readonly Item[]> => {
    const all: Item[] = [];
    for await (const { Items = [] } of pages) {
      await check(Items);
      all.push(...Items);
    }
    return all;
  };

  await ensureTable(client, tableDefinition(tableName));

  const save: StateStore['save'] = async ({ arn, input, state }, before) => {
    const put = (part: string, value: unknown) =>
      client.send(
        new PutItemCommand({
          TableName: tableName,
          Item: { arn: textAttribute(arn), part: textAttribute(part), value: packValue(value), ...stamp },
        }),
      );
    const saveOperations = async () => {
      for (const [index, entry] of [...state.operations].entries()) {
        if (before?.operations.get(entry[0]) !== entry[1]) await put(`op:${index}`, entry);
      }
    };
    const { status, token, callbackDeadlines } = state;
    const meta: Meta = { input, status, token, callbackDeadlines: [...callbackDeadlines] };
    // The meta item makes a new execution exist, so it is written last; later it is written first, so that no stored
    // callback lacks its deadline.
    if (before === null) await saveOperations();
    await put(META, meta);
    if (before !== null) await saveOperations();
  };

  const remove = async ({ arn, state }: LocalExecution): Promise<void> => {
    // What has no meta item would never be found again, so that goes last.
    const parts = [...state.operations.keys()].map((_id, index) => `op:${index}`);
    for (const part of [...parts, META])
      await client.send(
        new DeleteItemCommand({
          TableName: tableName,
          Key: { arn: textAttribute(arn), part: textAttribute(part) },
        }),
      );
  };

  /** The last write of each execution. The next one waits for it, so that no older state overwrites a newer one. */
  const writes = new Map<string, Promise<void>>();
  let isClosed = false;

  const inOrder = (key: string, act: () => Promise<unknown>): Promise<void> => {
    if (isClosed) return Promise.reject(new Error('the local engine is closed'));
    const write = (writes.get(key) ?? Promise.resolve()).then(async () => void (await act()));
    const settled = write
      .catch(() => {})
      .then(() => void (writes.get(key) === settled && writes.delete(key)));
    writes.set(key, settled);
    return write;
  };

  return {
    save: (execution, before) => inOrder(execution.arn, () => save(execution, before)),
    remove: (execution) => inOrder(execution.arn, () => remove(execution)),
    saveInvocation: (invocation) => {
      const { requestId } = invocation;
      const Item = {
        arn: textAttribute(INVOCATIONS),
        part: textAttribute(requestId),
        value: packValue(invocation),
        ...stamp,
      };
      return inOrder(requestId, () => client.send(new PutItemCommand({ TableName: tableName, Item })));
    },
    removeInvocation: (requestId) => {
      const Key = { arn: textAttribute(INVOCATIONS), part: textAttribute(requestId) };
      return inOrder(requestId, () => client.send(new DeleteItemCommand({ TableName: tableName, Key })));
    },
    loadInvocations: async () => {
      const query = {
        TableName: tableName,
        KeyConditionExpression: 'arn = :invocations',
        ExpressionAttributeValues: { ':invocations': textAttribute(INVOCATIONS) },
      };
      const found = await readAll(paginateQuery({ client }, query));
      return found.map((item) => unpackValue<AsyncInvocation>(item));
    },
    close: async () => {
      isClosed = true;
      await Promise.all(writes.values());
    },
    loadAll: async () => {
      const items = await readAll(paginateScan({ client }, { TableName: tableName }));
      return [...Map.groupBy(items, (item) => item.arn?.S ?? '')].flatMap(([arn, parts]) =>
        toExecution(arn, parts),
      );
    },
  };
};

/** Compresses values: JSON within JSON can double in size, and the largest result must fit into an item. */
const packValue = (value: unknown): AttributeValue => ({ B: gzipSync(JSON.stringify(value)) });

/** Restores dates by field name. Run data is a string here and stays unchanged. */
const unpackValue = <Value>(item: Item): Value =>
  JSON.parse(gunzipSync(item.value?.B ?? Buffer.alloc(0)).toString(), (name, value) =>
    name.endsWith('Timestamp') ? new Date(value) : value,
  );

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

/**
 * Builds an execution from its items. Empty if there is no meta item: the process ended before the start was
 * acknowledged, so the caller repeats it.
 */
const toExecution = (arn: string, parts: readonly Item[]): readonly LocalExecution[] => {
  const meta = parts.find((item) => item.part?.S === META);
  if (meta === undefined) return [];
  const { input, status, token, callbackDeadlines } = unpackValue<Meta>(meta);
  const indexOf = (item: Item): number => Number(item.part?.S?.slice('op:'.length));
  const operations = parts
    .filter((item) => item !== meta)
    .sort((a, b) => indexOf(a) - indexOf(b))
    .map((item) => unpackValue<[string, Operation]>(item));
  const state = {
    status,
    token,
    operations: new Map(operations),
    callbackDeadlines: new Map(callbackDeadlines),
  };
  return [{ arn, input, state }];
};
