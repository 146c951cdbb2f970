import {
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from './attributes.ts';
import { nullIfConditionFails, translateErrors } from './translate-error.ts';

/** @throws AppError `STORE_UNAVAILABLE` */
export const getItem = async (client: DynamoDBClient, input: GetItemCommandInput): Promise<Item | null> =>
  (await translateErrors(client.send(new GetItemCommand(input)))).Item ?? null;

/**
 * @returns false when the condition does not hold
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const putItem = async (client: DynamoDBClient, input: PutItemCommandInput): Promise<boolean> =>
  (await nullIfConditionFails(client.send(new PutItemCommand(input)))) !== null;
