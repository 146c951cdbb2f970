import type { QueryCommandInput, ReturnValue, ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { type Attributes, type Item, readBytes, readText, toItem } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { checkVersions, STATES_VERSION, VERSION_ATTRIBUTES, WRITTEN } from './schema/schema.ts';
import type { TableNames } from './table-names.ts';

/** A table, and the client that reaches it. */
export interface Table {
  readonly client: DynamoDbClient;
  readonly TableName: string;
}

/** Makes the factory of a store that is in one table. @param create - gets the table, and what else the store needs */
export const onTable =
  <Name extends keyof TableNames, Needs extends unknown[], Store>(
    name: Name,
    create: (table: Table, ...needs: Needs) => Store,
  ) =>
  (client: DynamoDbClient, tables: Pick<TableNames, Name>, ...needs: Needs): Store =>
    create({ client, TableName: tables[name] }, ...needs);

/** What the placeholders of expressions stand for. `#name` is an attribute, since some names are reserved words. */
interface Placeholders {
  readonly values?: Attributes;
  /** The attributes whose placeholders have other names. */
  readonly names?: Readonly<Record<string, string>>;
}

/** When a write takes effect. */
export interface Condition extends Placeholders {
  readonly condition: string;
}

/** A conditional update. */
export interface Change extends Placeholders {
  /** Empty for none. */
  readonly condition: string;
  /** Whether it states the version of the schema, as an update that may create the item does: by default as the condition says. */
  readonly statesVersion?: boolean;
  /** Attributes to set; null and undefined ones keep their value. */
  readonly set?: Attributes;
  /** Attributes to set to the value of an expression. */
  readonly compute?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

/** The condition that an attribute still is what was read of it; for null, that there is no item with this key. */
export const ifStill = (attribute: string, value: string | number | null, key: string): Condition =>
  value === null
    ? { condition: `attribute_not_exists(#${key})` }
    : { condition: `#${attribute} = :before`, values: { ':before': value } };

// A client repeats a call if its answer is lost. The first call may have been committed, and then makes the condition
// of the second fail; a consistent read shows whether what is stored is our own write. It is only made after a repeated
// call, since a condition that fails on the first try is never our own doing.

/**
 * Whether what is stored was written by our call. Null for a write that can be repeated, since its condition still
 * holds afterwards, and for one whose outcome is not used.
 */
export type IsOurs = ((stored: Item) => boolean) | null;

/**
 * @param ConsistentRead - whether it sees all changes; without, it costs half
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const getItem = async (
  { client, TableName }: Table,
  key: Attributes,
  ConsistentRead = true,
): Promise<Item | null> => {
  const { Item: item } = await translateErrors(
    client.getItem({ TableName, Key: toItem(key), ConsistentRead }),
  );
  if (item === undefined) return null;
  await checkVersions(TableName, [item]);
  return item;
};

/** What an item is read as; null if there is none. Throws as {@link getItem}. */
export const findItem = async <Found>(
  table: Table,
  key: Attributes,
  read: (item: Item) => Found,
  isConsistent?: boolean,
): Promise<Found | null> => {
  const item = await getItem(table, key, isConsistent);
  return item === null ? null : read(item);
};

/**
 * Puts an item if a condition holds. The item states its schema version, unless it is a copy of one that does.
 * @param attributes - without those of the key
 * @param isOurs - by default, an item with the same attributes is our own
 * @returns false if the condition does not hold
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const putItem = async (
  { client, TableName }: Table,
  key: Attributes,
  attributes: Attributes,
  { condition, ...placeholders }: Partial<Condition> = {},
  isOurs?: IsOurs,
): Promise<boolean> => {
  const Key = toItem(key);
  const Item = { ...WRITTEN, ...Key, ...toItem(attributes) };
  const isSame = (stored: Item): boolean => toComparable(stored) === toComparable(Item);
  const input = withPlaceholders({ TableName, Item, ConditionExpression: condition }, placeholders);
  const put = client.putItem(input);
  return (
    (await confirmWrite({ client, TableName }, Key, put, ifOurs(isOurs === undefined ? isSame : isOurs))) !==
    null
  );
};

/**
 * Updates an item if a condition holds.
 * @param ReturnValues - the attributes that are returned, at least
 * @returns null if the condition does not hold
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const updateItem = async (
  { client, TableName }: Table,
  key: Attributes,
  change: Change,
  isOurs: IsOurs = null,
  ReturnValues?: ReturnValue,
): Promise<Item | null> => {
  const Key = toItem(key);
  const update = client.updateItem({ TableName, Key, ReturnValues, ...toUpdate(change) });
  const updated = await confirmWrite({ client, TableName }, Key, update, ifOurs(isOurs));
  return updated === null ? null : (updated.Attributes ?? {});
};

const toUpdate = ({
  condition,
  // With no condition on what is stored, or with the condition that nothing is, it may create the item.
  statesVersion = /^(?:$|attribute_not)/.test(condition),
  set = {},
  compute = {},
  remove = [],
  values = {},
  names = {},
}: Change) => {
  const all: Record<string, Attributes[string]> = { ...values };
  if (statesVersion) all[':schema'] = WRITTEN.schema;
  const assignments: string[] = [];
  for (const [name, value] of Object.entries(set)) {
    if (value === null || value === undefined) continue;
    assignments.push(`#${name} = :set_${name}`);
    all[`:set_${name}`] = value;
  }
  for (const [name, expression] of Object.entries(compute)) assignments.push(`#${name} = ${expression}`);
  if (statesVersion) assignments.push(STATES_VERSION);
  const clauses: string[] = [];
  if (assignments.length > 0) clauses.push(`SET ${assignments.join(', ')}`);
  if (remove.length > 0) clauses.push(`REMOVE #${remove.join(', #')}`);
  const expressions = { ConditionExpression: condition || undefined, UpdateExpression: clauses.join(' ') };
  return withPlaceholders(expressions, { values: all, names });
};

/**
 * Deletes an item if a condition holds. If the first answer was lost, an item that no longer exists counts as deleted
 * by this call.
 * @returns false if the condition does not hold
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const deleteItem = async (
  { client, TableName }: Table,
  key: Attributes,
  { condition, ...placeholders }: Partial<Condition> = {},
): Promise<boolean> => {
  const Key = toItem(key);
  const call = client.deleteItem(
    withPlaceholders({ TableName, Key, ConditionExpression: condition }, placeholders),
  );
  const ifGone = (stored: Item | null) => (stored === null ? {} : null);
  return (await confirmWrite({ client, TableName }, Key, call, ifGone)) !== null;
};

/** Adds what the placeholders in the expressions of a call stand for. */
const withPlaceholders = <Input extends object>(input: Input, { values = {}, names = {} }: Placeholders) => {
  let ExpressionAttributeNames: Record<string, string> | undefined;
  for (const [name, text] of Object.entries(input)) {
    if (typeof text !== 'string' || !name.endsWith('Expression')) continue;
    for (const placeholder of text.match(/#\w+/g) ?? []) {
      ExpressionAttributeNames ??= {};
      ExpressionAttributeNames[placeholder] = names[placeholder] ?? placeholder.slice(1);
    }
  }
  const attributes = toItem(values);
  const ExpressionAttributeValues = Object.keys(attributes).length === 0 ? undefined : attributes;
  return { ...input, ExpressionAttributeNames, ExpressionAttributeValues };
};

const ifOurs = (isOurs: IsOurs) =>
  isOurs && ((stored: Item | null) => (stored !== null && isOurs(stored) ? { Attributes: stored } : null));

/** @param toOutput - makes the output of our own call from what is stored; null if that is not our own */
const confirmWrite = async <Output>(
  table: Table,
  Key: Item,
  call: Promise<Output>,
  toOutput: ((stored: Item | null) => Output | null) | null,
): Promise<Output | null> => {
  try {
    return await call;
  } catch (error) {
    if (!isConditionFailed(error)) throw translateError(error);
    if (toOutput === null || (error.$metadata?.attempts ?? 1) === 1) return null;
    return toOutput(await getItem(table, Key));
  }
};

const toComparable = (item: Item): string =>
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

/** A query, or a scan of a whole table, in DynamoDB's own terms. */
type Search<Input> = Placeholders &
  Omit<Input, 'TableName' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;
export type Query = Search<QueryCommandInput>;
type Scan = Search<ScanCommandInput>;

/**
 * Reads one page of what a query finds; the caller continues at `next`.
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const queryPage = (table: Table, query: Query): Promise<Page> =>
  readPage(table, query, (input) => table.client.query(input));

/** Like {@link queryPage}, of a whole table. */
export const scanPage = (table: Table, scan: Scan): Promise<Page> =>
  readPage(table, scan, (input) => table.client.scan(input));

/** All pages of what a query finds, each read when it is asked for. Throws as {@link queryPage}. */
export const queryPages = (table: Table, query: Query): AsyncGenerator<Page> =>
  followPages((from) => queryPage(table, { ...query, ExclusiveStartKey: from }));

/** Reads everything that a query finds. Throws as {@link queryPage}. */
export const queryAll = (table: Table, query: Query): Promise<Item[]> =>
  collectItems(queryPages(table, query));

/** Reads a whole table. For operators, never while a request waits. Throws as {@link queryPage}. */
export const scanAll = (table: Table, scan: Scan = {}): Promise<Item[]> =>
  collectItems(followPages((from) => scanPage(table, { ...scan, ExclusiveStartKey: from })));

/** Pages of 1 MB that a list reads for one page of its own, which then ends. */
const MAX_PAGES = 8;

/**
 * Reads the first items that a query finds, however many pages they take, up to 8 MB.
 * @returns at least one item if there is any; `hasMore` if the query finds more than these
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const queryFirst = async (
  table: Table,
  query: Query,
  limit: number,
): Promise<{ readonly items: readonly Item[]; readonly hasMore: boolean }> => {
  const items: Item[] = [];
  let from: Item | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    // One more shows whether there are more, since DynamoDB gives a key to continue with after the last item as well.
    const Limit = limit + 1 - items.length;
    const page = await queryPage(table, { ...query, Limit, ExclusiveStartKey: from });
    items.push(...page.items);
    from = page.next;
    if (items.length > limit || from === undefined) break;
  }
  return { items: items.slice(0, limit), hasMore: items.length > limit || from !== undefined };
};

const readPage = async (
  { TableName }: Table,
  { values = {}, names = {}, ...search }: Query | Scan,
  send: (input: QueryCommandInput) => ReturnType<DynamoDbClient['query' | 'scan']>,
): Promise<Page> => {
  const {
    Items: items = [],
    Count: count = items.length,
    LastEvaluatedKey: next,
  } = await translateErrors(send(withPlaceholders({ TableName, ...search }, { values, names })));
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

const collectItems = async (pages: AsyncGenerator<Page>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const { items } of pages) all.push(...items);
  return all;
};

/**
 * Maximum number of keys per call: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
 */
const MAX_BATCH = 100;

/**
 * Reads some attributes of items, among them their keys, a hundred items in a call, in the order of the keys. Leaves out
 * those that no longer exist. DynamoDB may leave some for another call.
 * @param key - the attribute that is the whole key of an item
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const getItems = async (
  { client, TableName }: Table,
  key: string,
  keys: readonly string[],
  attributes: readonly string[],
): Promise<readonly Item[]> => {
  const ProjectionExpression = [...attributes, ...VERSION_ATTRIBUTES].map((name) => `#${name}`).join(', ');
  const found = new Map<string, Item>();
  let wanted = keys.map((value) => toItem({ [key]: value }));
  while (wanted.length > 0) {
    const Keys = wanted.slice(0, MAX_BATCH);
    const read = withPlaceholders({ Keys, ProjectionExpression }, {});
    const { Responses, UnprocessedKeys } = await translateErrors(
      client.batchGetItem({ RequestItems: { [TableName]: read } }),
    );
    const items = Responses?.[TableName] ?? [];
    await checkVersions(TableName, items);
    for (const item of items) found.set(readText(item, key), item);
    const left = UnprocessedKeys?.[TableName]?.Keys ?? [];
    if (left.length === Keys.length) throw new AppError(STORE_UNAVAILABLE, {});
    wanted = [...left, ...wanted.slice(MAX_BATCH)];
  }
  return keys.map((value) => found.get(value)).filter((item) => item !== undefined);
};

/**
 * Merges what several queries find into one list, ordered by an attribute, then by query. Each is read a page at a time:
 * before the first item, and again whenever its items are used up.
 * @param attribute - the sort key of the queries, a text
 * @param queries - all in the same direction, the one of `ScanIndexForward`
 * @returns the items, each with the position of its query
 */
export async function* mergeQueries(
  table: Table,
  attribute: string,
  queries: readonly Query[],
): AsyncGenerator<readonly [item: Item, position: number]> {
  const found = queries.map((query) => ({ query, items: [] as Item[], isRead: false }));
  for (;;) {
    await Promise.all(found.map((one) => fillPage(table, one)));
    let first: readonly [at: string, position: number] | null = null;
    for (const [position, { query, items }] of found.entries()) {
      if (items[0] === undefined) continue;
      const at = readText(items[0], attribute);
      if (first === null || (query.ScanIndexForward === false ? at > first[0] : at < first[0]))
        first = [at, position];
    }
    if (first === null) return;
    const item = found[first[1]]?.items.shift();
    if (item !== undefined) yield [item, first[1]];
  }
}

/** Reads on until a query has an item. */
const fillPage = async (table: Table, one: { query: Query; readonly items: Item[]; isRead: boolean }) => {
  while (one.items.length === 0 && !one.isRead) {
    const page = await queryPage(table, one.query);
    one.items.push(...page.items);
    one.query = { ...one.query, ExclusiveStartKey: page.next };
    one.isRead = page.next === undefined;
  }
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
