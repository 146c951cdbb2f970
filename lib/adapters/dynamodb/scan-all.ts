import type { ScanCommandInput } from '@aws-sdk/client-dynamodb';
import type { Item } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { translateErrors } from './translate-error.ts';

/** Reads a whole table, page by page: for operators, never in the path of a request. */
export const scanAll = async (client: DynamoDbClient, input: ScanCommandInput): Promise<Item[]> => {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = await translateErrors(client.scan({ ...input, ExclusiveStartKey: from }));
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return items;
};
