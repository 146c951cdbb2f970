import type { GetItemCommandInput, PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { Item } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { nullIfConditionFails, translateErrors } from './translate-error.ts';

/** @throws AppError `STORE_UNAVAILABLE` */
export const getItem = async (client: DynamoDbClient, input: GetItemCommandInput): Promise<Item | null> =>
  (await translateErrors(client.getItem(input))).Item ?? null;

/**
 * @returns false when the condition does not hold
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const putItem = async (client: DynamoDbClient, input: PutItemCommandInput): Promise<boolean> =>
  (await nullIfConditionFails(client.putItem(input))) !== null;
