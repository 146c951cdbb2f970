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
export const updateItem = async (
  client: DynamoDbClient,
  input: UpdateItemCommandInput & Place,
  isOurs: IsOurs,
): Promise<Item | null> => {
  const updated = await confirm(client, input, client.updateItem(input), ifOurs(isOurs));
  return updated === null ? null : (updated.Attributes ?? {});
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
  isOurs && ((stored: Item | null) => (stored !== null && isOurs(stored) ? { Attributes: stored } : null));

/** @param toOutput - makes the output of our own call from what is stored; null if that is not our own */
const confirm = async <Output>(
  client: DynamoDbClient,
  { TableName, Key }: Place,
  call: Promise<Output>,
  toOutput: ((stored: Item | null) => Output | null) | null,
): Promise<Output | null> => {
  try {
    return await call;
  } catch (error) {
    if (!isConditionFailed(error)) throw translateError(error);
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

interface Page {
  readonly items: readonly Item[];
  /** How many items the call found, also if it asks only for their number. */
  readonly count: number;
  /** Where the next page starts: DynamoDB ends one at its limit or at 1 MB. Undefined on the last page. */
  readonly next: Item | undefined;
}

/**
 * Reads one page of what a query finds; the caller continues at `next`.
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const queryPage = (client: DynamoDbClient, input: QueryCommandInput): Promise<Page> =>
  readPage(input, client.query(input));

/** Like {@link queryPage}, of a whole table. */
export const scanPage = (client: DynamoDbClient, input: ScanCommandInput): Promise<Page> =>
  readPage(input, client.scan(input));

/** All pages of what a query finds, each read when it is asked for. Throws as {@link queryPage}. */
export const queryPages = (client: DynamoDbClient, input: QueryCommandInput): AsyncGenerator<Page> =>
  followPages((from) => queryPage(client, { ...input, ExclusiveStartKey: from }));

/** Reads everything that a query finds. Throws as {@link queryPage}. */
export const queryAll = (client: DynamoDbClient, input: QueryCommandInput): Promise<Item[]> =>
  readAll(queryPages(client, input));

/** Reads a whole table. For operators, never while a request waits. Throws as {@link queryPage}. */
export const scanAll = (client: DynamoDbClient, input: ScanCommandInput): Promise<Item[]> =>
  readAll(followPages((from) => scanPage(client, { ...input, ExclusiveStartKey: from })));

/** Pages of 1 MB that a list reads for one page of its own, which then ends. */
const MAX_PAGES = 8;

/**
 * Reads the first items that a query finds, however many pages they take, up to 8 MB.
 * @returns at least one item if there is any; `hasMore` if the query finds more than these
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const queryFirst = async (
  client: DynamoDbClient,
  input: Omit<QueryCommandInput, 'Limit' | 'ExclusiveStartKey'>,
  limit: number,
): Promise<{ readonly items: readonly Item[]; readonly hasMore: boolean }> => {
  const items: Item[] = [];
  let from: Item | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    // One more shows whether there are more, since DynamoDB gives a key to continue with after the last item as well.
    const Limit = limit + 1 - items.length;
    const page = await queryPage(client, { ...input, Limit, ExclusiveStartKey: from });
    items.push(...page.items);
    from = page.next;
    if (items.length > limit || from === undefined) break;
  }
  return { items: items.slice(0, limit), hasMore: items.length > limit || from !== undefined };
};

const readPage = async (
  { TableName }: QueryCommandInput | ScanCommandInput,
  call: ReturnType<DynamoDbClient['query' | 'scan']>,
): Promise<Page> => {
  const {
    Items: items = [],
    Count: count = items.length,
    LastEvaluatedKey: next,
  } = await translateErrors(call);
  await checkVersions(TableName, items);
  return { items, count, next };
};

async function* followPages(read: (from: Item | undefined) => Promise<Page>): AsyncGenerator<Page> {
  let from: Item | undefined;
  do {
    const page = await read(from);
    yield page;
    from = page.next;
  } while (from !== undefined);
}

const readAll = async (pages: AsyncGenerator<Page>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const { items } of pages) all.push(...items);
  return all;
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
 * Translates an error of a call to DynamoDB: throttling, network, timeouts, permissions, a missing table.
 * @returns AppError `STORE_UNAVAILABLE`; a failed condition and bugs unchanged
 */
const translateError = (error: unknown): unknown =>
  isConditionFailed(error) || (error instanceof Error && BUGS.has(error.name))
    ? error
    : new AppError(STORE_UNAVAILABLE, {}, error);

/** Awaits a call to DynamoDB. @throws what {@link translateError} returns */
export const translateErrors = async <Output>(call: Promise<Output>): Promise<Output> => {
  try {
    return await call;
  } catch (error) {
    throw translateError(error);
  }
};
