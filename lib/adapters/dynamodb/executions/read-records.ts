import { STORE_UNAVAILABLE } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { type Item, readText, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { checkVersions, VERSION_ATTRIBUTES } from '../schema/schema.ts';
import { translateErrors } from '../translate-error.ts';

/**
 * Maximum number of keys per call: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
 */
const MAX_BATCH = 100;

/**
 * Reads some attributes of executions by id, in the order of the ids, leaving out those that no longer exist. DynamoDB
 * may leave some for another call.
 * @throws AppError `STORE_UNAVAILABLE` | `DATA_VERSION_UNSUPPORTED`
 */
export const readRecords = async (
  client: DynamoDbClient,
  table: string,
  ids: readonly string[],
  attributes: readonly string[],
): Promise<readonly Item[]> => {
  const names = [...attributes, ...VERSION_ATTRIBUTES];
  const found = new Map<string, Item>();
  let wanted = ids.map((executionId) => ({ executionId: text(executionId) }));
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
    for (const item of items) found.set(readText(item, 'executionId'), item);
    const left = UnprocessedKeys?.[table]?.Keys ?? [];
    if (left.length === batch.length) throw new AppError(STORE_UNAVAILABLE, {});
    wanted = [...(left as typeof wanted), ...wanted.slice(MAX_BATCH)];
  }
  return ids.map((id) => found.get(id)).filter((item) => item !== undefined);
};
