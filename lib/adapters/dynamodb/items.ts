import type {
  DeleteItemCommandInput,
  GetItemCommandInput,
  PutItemCommandInput,
  QueryCommandInput,
  ScanCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { type Item, readBytes } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { checkVersions, WRITTEN } from './schema/schema.ts';

// A client repeats a call if its answer is lost. The first call may have been committed, and then makes the condition
// of the second fail; a consistent read shows whether what is stored is our own write. It is only made after a repeated
// call, since a condition that fails on the first try is never our own doing.

interface Place {
  readonly TableName: string;
  readonly Key: Item;
}

/**
 * Whether what is stored was written by our call. Null for a write that can be repeated, since its condition still
 * holds afterwards, and for one whose outcome is not used.
 */
export type IsOurs = ((stored: Item) => boolean) | null;

/** @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED` */
export const getItem = async (client: DynamoDbClient, input: GetItemCommandInput): Promise<Item | null> => {
  const { Item: item } = await translateErrors(client.getItem(input));
  if (item === undefined) return null;
  await checkVersions(input.TableName, [item]);
  return item;
};

/**
 * Puts an item if a condition holds. The item states its schema version, unless it is a copy of one that does.
 * @returns false if the condition does not hold
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const putItem = async (
  client: DynamoDbClient,
  { Key, Item: item, ...input }: PutItemCommandInput & Place,
  isOurs: IsOurs,
): Promise<boolean> => {
  const { TableName } = input;
  const put = client.putItem({ ...input, Item: { ...WRITTEN, ...item } });
  return (await confirm(client, { TableName, Key }, put, ifOurs(isOurs))) !== null;
};

/**
 * Updates an item if a condition holds.
 * @returns at least the attributes that `ReturnValues` asks for; null if the condition does not hold
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const updateItem = (
  client: DynamoDbClient,
  input: UpdateItemCommandInput & Place,
  isOurs: IsOurs,
): Promise<Item | null> => {
  const update = client.updateItem(input).then(({ Attributes = {} }) => Attributes);
  return confirm(client, input, update, ifOurs(isOurs));
};

/**
 * Deletes an item if a condition holds. If the first answer was lost, an item that no longer exists counts as deleted
 * by this call.
 * @returns false if the condition does not hold
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const deleteItem = async (
  client: DynamoDbClient,
  input: DeleteItemCommandInput & Place,
): Promise<boolean> =>
  (await confirm(client, input, client.deleteItem(input), (stored) => (stored === null ? {} : null))) !==
  null;

const ifOurs = (isOurs: IsOurs) =>
  isOurs && ((stored: Item | null) => (stored !== null && isOurs(stored) ? stored : null));

/** @param toOutput - makes the output of our own call from what is stored; null if that is not our own */
const confirm = async <Output>(
  client: DynamoDbClient,
  { TableName, Key }: Place,
  call: Promise<Output>,
  toOutput: ((stored: Item | null) => Output | null) | null,
): Promise<Output | null> => {
  try {
    return await translateErrors(call);
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    if (toOutput === null || (error.$metadata?.attempts ?? 1) === 1) return null;
    return toOutput(await getItem(client, { TableName, Key, ConsistentRead: true }));
  }
};

/** Returns whether a stored item has the same attributes as a written one. */
export const sameAs =
  (written: Item) =>
  (stored: Item): boolean =>
    toText(stored) === toText({ ...WRITTEN, ...written });

const toText = (item: Item): string =>
  JSON.stringify(
    Object.keys(item)
      .sort()
      // Each client represents bytes differently.
      .map((name) => [name, readBytes(item, name)?.toString('base64') ?? item[name]]),
  );

/**
 * Reads a whole table, page by page. For operators, never while a request waits.
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const scanAll = (client: DynamoDbClient, input: ScanCommandInput): Promise<Item[]> =>
  readPages(input.TableName, (from) => client.scan({ ...input, ExclusiveStartKey: from }));

/**
 * Reads everything that a query finds, page by page.
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const queryAll = (client: DynamoDbClient, input: QueryCommandInput): Promise<Item[]> =>
  readPages(input.TableName, (from) => client.query({ ...input, ExclusiveStartKey: from }));

interface Page {
  readonly Items?: Item[] | undefined;
  readonly LastEvaluatedKey?: Item | undefined;
}

const readPages = async (
  table: string | undefined,
  read: (from: Item | undefined) => Promise<Page>,
): Promise<Item[]> => {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = await translateErrors(read(from));
    await checkVersions(table, page.Items ?? []);
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return items;
};

interface ConditionFailed extends Error {
  /** The response's metadata: see `DynamoDbClient`. */
  readonly $metadata?: { readonly attempts?: number };
}

const isConditionFailed = (error: unknown): error is ConditionFailed =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

/** Errors that are bugs: a retry would not help, and reporting them as an outage would hide them. */
const BUGS = new Set(['ValidationException', 'SerializationException', 'TypeError', 'ReferenceError']);

/**
 * Translates the errors of a call to DynamoDB: throttling, network, timeouts, permissions, a missing table.
 * @throws AppError `STORE_UNAVAILABLE`; a failed condition and bugs are thrown unchanged
 */
export const translateErrors = async <Output>(call: Promise<Output>): Promise<Output> => {
  try {
    return await call;
  } catch (error) {
    if (isConditionFailed(error) || (error instanceof Error && BUGS.has(error.name))) throw error;
    throw new AppError(STORE_UNAVAILABLE, {}, error);
  }
};
