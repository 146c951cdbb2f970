import type { QueryCommandInput, ScanCommandInput } from '@aws-sdk/client-dynamodb';
import type { Item } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { checkVersions } from './schema/schema.ts';
import { translateErrors } from './translate-error.ts';

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
