import {
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandInput,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from './attributes.ts';
import { translateErrors } from './translate-error.ts';

/** Reads a whole table, page by page: for operators, never in the path of a request. */
export const scanAll = async (client: DynamoDBClient, input: ScanCommandInput): Promise<Item[]> => {
  const items: Item[] = [];
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await translateErrors(
      client.send(new ScanCommand({ ...input, ExclusiveStartKey: from })),
    );
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return items;
};
