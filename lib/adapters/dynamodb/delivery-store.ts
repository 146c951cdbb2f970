import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DeliveryClaim, DeliveryStore } from '../../webhooks/delivery-store.ts';
import { type Item, number, readNumber, readText, text } from './attributes.ts';
import type { TableNames } from './table-names.ts';
import { fromStore, isWritten } from './translate-error.ts';

/** A claim may expire between the refused write and the read: then the next try wins, or meets who was faster. */
const MAX_TRIES = 3;

/** Claims on deliveries: one item each, written on the condition that no claim holds. */
export const createDeliveryStore = (
  client: DynamoDBClient,
  tables: Pick<TableNames, 'deliveries'>,
): DeliveryStore => {
  const put = (claim: DeliveryClaim): Promise<boolean> =>
    isWritten(
      client.send(
        new PutItemCommand({
          TableName: tables.deliveries,
          Item: toItem(claim),
          ConditionExpression: 'attribute_not_exists(deliveryId) OR #until <= :claimedAt',
          ExpressionAttributeNames: { '#until': 'until' },
          ExpressionAttributeValues: { ':claimedAt': number(claim.claimedAt) },
        }),
      ),
    );

  const find = async (deliveryId: string): Promise<DeliveryClaim | null> => {
    const { Item: item } = await fromStore(
      client.send(
        new GetItemCommand({
          TableName: tables.deliveries,
          Key: { deliveryId: text(deliveryId) },
          ConsistentRead: true,
        }),
      ),
    );
    return item === undefined ? null : toClaim(item);
  };

  return {
    claim: async (claim) => {
      for (let tries = 1; ; tries++) {
        if (await put(claim)) return claim;
        const found = await find(claim.deliveryId);
        if (found !== null && (found.until > claim.claimedAt || tries === MAX_TRIES)) return found;
      }
    },
  };
};

const toItem = ({ deliveryId, executionId, bodyHash, claimedAt, until }: DeliveryClaim): Item => ({
  deliveryId: text(deliveryId),
  executionId: text(executionId),
  bodyHash: text(bodyHash),
  claimedAt: number(claimedAt),
  until: number(until),
  expiresAt: number(Math.ceil(until / 1_000)),
});

const toClaim = (item: Item): DeliveryClaim => ({
  deliveryId: readText(item, 'deliveryId'),
  executionId: readText(item, 'executionId'),
  bodyHash: readText(item, 'bodyHash'),
  claimedAt: readNumber(item, 'claimedAt'),
  until: readNumber(item, 'until'),
});
