import type {
  DeleteItemCommandInput,
  GetItemCommandInput,
  PutItemCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { type Item, readBytes } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { checkVersions, WRITTEN } from './schema/schema.ts';
import { isConditionFailed, translateErrors } from './translate-error.ts';

// A client sends a call again when its answer is lost. The first one may have been committed, and then the condition of
// the second fails on it: a consistent read shows whether what is stored is our own. It is made after a repeated call
// alone: a condition that fails at the first try is never our own doing.

interface Place {
  readonly TableName: string;
  readonly Key: Item;
}

/**
 * Whether what is stored is what a call has written. Null for a write that can be made twice, since its condition holds
 * after it, and for one whose outcome is not used.
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
 * Puts an item on a condition. It says the version that it is written in, unless it is the copy of one that does.
 *
 * @returns false when the condition does not hold
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
 * Updates an item on a condition.
 *
 * @returns the attributes that `ReturnValues` asks for, at least; null when the condition does not hold
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
 * Deletes an item on a condition. When the first answer was lost, an item that no longer exists counts as deleted by this call.
 *
 * @returns false when the condition does not hold
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

/** @param toOutput - the output of our own call, from what is stored; null when that is not our own */
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

/** Of a written item: the stored one has the same attributes. */
export const sameAs =
  (written: Item) =>
  (stored: Item): boolean =>
    toText(stored) === toText({ ...WRITTEN, ...written });

const toText = (item: Item): string =>
  JSON.stringify(
    Object.keys(item)
      .sort()
      // Each client has another form of bytes.
      .map((name) => [name, readBytes(item, name)?.toString('base64') ?? item[name]]),
  );
