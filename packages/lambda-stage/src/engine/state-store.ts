import { gunzipSync, gzipSync } from 'node:zlib';
import type { Operation } from '@aws/durable-execution-sdk-js';
import type { AttributeValue, CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Item } from 'dynalite/db/index.js';
import { type EmbeddedDatabase, openItems } from '../database/open-items.ts';
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
  /** Writes the changes since `before`, all or nothing; null for a new execution. */
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

/** How the items of a table on disk say which release wrote them. */
interface Versions {
  /** Attributes that every item gets. */
  readonly stamp: Item;
  /** Rejects for items that this release can't read. */
  readonly check: (items: readonly Item[]) => Promise<void>;
}

const META = 'meta';
const OPERATION = 'op:';
const partOf = (index: number): string => `${OPERATION}${index}`;
/** Partition key of the stored invocations. */
const INVOCATIONS = 'invocations';

/** Opens the store of an engine. Without a stamp and a check, for a table in memory. */
export const openStateStore = async (
  database: EmbeddedDatabase,
  tableName: string,
  { stamp, check }: Versions = { stamp: {}, check: async () => {} },
): Promise<StateStore> => {
  const items = await openItems(database, tableDefinition(tableName));

  const readAll = async (): Promise<readonly Item[]> => {
    const all = await items.readAll();
    await check(all);
    return all;
  };

  const keyOf = (arn: string, part: string): Item => ({ arn: { S: arn }, part: { S: part } });
  const toItem = (arn: string, part: string, value: unknown): Item => ({
    ...keyOf(arn, part),
    value: packValue(value),
    ...stamp,
  });

  const save: StateStore['save'] = ({ arn, input, state }, before) => {
    const changed = [...state.operations].flatMap((entry, index) =>
      before?.operations.get(entry[0]) === entry[1] ? [] : [toItem(arn, partOf(index), entry)],
    );
    const { status, token, callbackDeadlines } = state;
    const meta: Meta = { input, status, token, callbackDeadlines: [...callbackDeadlines] };
    return items.write([...changed, toItem(arn, META, meta)]);
  };

  const remove = ({ arn, state }: LocalExecution): Promise<void> => {
    const parts = [META, ...Array.from(state.operations.keys(), (_id, index) => partOf(index))];
    return items.write(
      [],
      parts.map((part) => keyOf(arn, part)),
    );
  };

  /** The last write of each execution. The next one waits for it, so that no older state overwrites a newer one. */
  const writes = new Map<string, Promise<void>>();
  let isClosed = false;

  const inOrder = (key: string, act: () => Promise<void>): Promise<void> => {
    if (isClosed) return Promise.reject(new Error('the local engine is closed'));
    const write = (writes.get(key) ?? Promise.resolve()).then(act);
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
      return inOrder(requestId, () => items.write([toItem(INVOCATIONS, requestId, invocation)]));
    },
    removeInvocation: (requestId) =>
      inOrder(requestId, () => items.write([], [keyOf(INVOCATIONS, requestId)])),
    loadInvocations: async () =>
      (await readAll())
        .filter(({ arn }) => arn?.S === INVOCATIONS)
        .map((item) => unpackValue<AsyncInvocation>(item)),
    close: async () => {
      isClosed = true;
      await Promise.all(writes.values());
    },
    loadAll: async () =>
      [...Map.groupBy(await readAll(), (item) => item.arn?.S ?? '')].flatMap(([arn, parts]) =>
        toExecution(arn, parts),
      ),
  };
};

/** Compresses values: JSON within JSON can double in size, and the largest result must fit into an item. */
const packValue = (value: unknown): AttributeValue => toBinary(gzipSync(JSON.stringify(value)));

/** A binary value as dynalite keeps it. */
const toBinary = (bytes: Buffer) => ({ B: bytes.toString('base64') }) as object as AttributeValue;

/** Restores dates by field name. Run data is a string here and stays unchanged. */
const unpackValue = <Value>(item: Item): Value =>
  JSON.parse(gunzipSync(Buffer.from(String(item.value?.B), 'base64')).toString(), (name, value) =>
    name.endsWith('Timestamp') ? new Date(value) : value,
  );

const tableDefinition = (tableName: string) =>
  ({
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
  }) satisfies CreateTableCommandInput;

interface Meta {
  readonly input: string;
  readonly status: DurableState['status'];
  readonly token: number;
  readonly callbackDeadlines: readonly (readonly [string, number])[];
}

/**
 * Builds an execution from its items. Empty without a meta item: an earlier release wrote it last, and its process
 * ended before the start was acknowledged, so the caller repeats it.
 */
const toExecution = (arn: string, parts: readonly Item[]): readonly LocalExecution[] => {
  const meta = parts.find((item) => item.part?.S === META);
  if (meta === undefined) return [];
  const { input, status, token, callbackDeadlines } = unpackValue<Meta>(meta);
  const indexOf = (item: Item): number => Number(item.part?.S?.slice(OPERATION.length));
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
