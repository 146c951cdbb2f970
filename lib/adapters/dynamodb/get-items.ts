import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { type Item, readText, text } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { translateErrors } from './items.ts';
import { checkVersions, VERSION_ATTRIBUTES } from './schema/schema.ts';

/**
 * Maximum number of keys per call: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
 */
const MAX_BATCH = 100;

interface KeyedTable {
  readonly table: string;
  /** The attribute that is the whole key of an item. */
  readonly key: string;
}

/**
 * Reads some attributes of items, among them their keys, a hundred items in a call, in the order of the keys. Leaves out
 * those that no longer exist. DynamoDB may leave some for another call.
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const getItems = async (
  client: DynamoDbClient,
  { table, key }: KeyedTable,
  keys: readonly string[],
  attributes: readonly string[],
): Promise<readonly Item[]> => {
  const names = [...attributes, ...VERSION_ATTRIBUTES];
  const found = new Map<string, Item>();
  let wanted = keys.map((value): Item => ({ [key]: text(value) }));
  while (wanted.length > 0) {
    const batch = wanted.slice(0, MAX_BATCH);
    const { Responses, UnprocessedKeys } = await translateErrors(
      client.batchGetItem({
        RequestItems: {
          [table]: {
            Keys: batch,
            ProjectionExpression: names.map((name) => `#${name}`).join(', '),
            ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
          },
        },
      }),
    );
    const items = Responses?.[table] ?? [];
    await checkVersions(table, items);
    for (const item of items) found.set(readText(item, key), item);
    const left = UnprocessedKeys?.[table]?.Keys ?? [];
    if (left.length === batch.length) throw new AppError(STORE_UNAVAILABLE, {});
    wanted = [...left, ...wanted.slice(MAX_BATCH)];
  }
  return keys.map((value) => found.get(value)).filter((item) => item !== undefined);
};
