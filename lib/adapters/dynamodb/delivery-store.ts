import type { DeliveryClaim, DeliveryStore } from '../../deliveries/delivery-store.ts';
import { type Item, number, readNumber, readText, text } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { getItem, putItem } from './items.ts';
import type { TableNames } from './table-names.ts';

/** A claim may expire between the refused write and the read; then the next try wins or finds a newer claim. */
const MAX_TRIES = 3;

/** One item per claim, written on the condition that no valid claim exists. */
export const createDeliveryStore = (
  client: DynamoDbClient,
  tables: Pick<TableNames, 'deliveries'>,
): DeliveryStore => {
  /**
   * Puts a claim. The write is not confirmed here, because after a refused write the claim is read anyway, and may be
   * this one.
   */
  const put = (claim: DeliveryClaim): Promise<boolean> => {
    const input = {
      TableName: tables.deliveries,
      Key: { deliveryId: text(claim.deliveryId) },
      Item: toItem(claim),
      ConditionExpression: 'attribute_not_exists(deliveryId) OR #until <= :claimedAt',
      ExpressionAttributeNames: { '#until': 'until' },
      ExpressionAttributeValues: { ':claimedAt': number(claim.claimedAt) },
    };
    return putItem(client, input, null);
  };

  const find = async (deliveryId: string): Promise<DeliveryClaim | null> => {
    const Key = { deliveryId: text(deliveryId) };
    const item = await getItem(client, { TableName: tables.deliveries, Key, ConsistentRead: true });
    return item === null ? null : toClaim(item);
  };

  return {
    find,
    takeOver: async (claim) => {
      const input = {
        TableName: tables.deliveries,
        Key: { deliveryId: text(claim.deliveryId) },
        Item: toItem(claim),
        ConditionExpression: 'executionId = :retried',
        ExpressionAttributeValues: { ':retried': text(claim.retries) },
      };
      return putItem(client, input, (item) => toClaim(item).executionId === claim.executionId);
    },
    claim: async (claim) => {
      for (let tries = 1; ; tries++) {
        if (await put(claim)) return claim;
        const found = await find(claim.deliveryId);
        if (found !== null && (found.until > claim.claimedAt || tries === MAX_TRIES)) return found;
      }
    },
  };
};

const toItem = ({
  deliveryId,
  executionId,
  bodyHash,
  claimedAt,
  until,
  ...optional
}: DeliveryClaim): Item => ({
  ...Object.fromEntries(Object.entries(optional).map(([name, value]) => [name, text(value)])),
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
  ...(item.retries === undefined ? {} : { retries: readText(item, 'retries') }),
  ...(item.caller === undefined ? {} : { caller: readText(item, 'caller') }),
  ...(item.requestHash === undefined ? {} : { requestHash: readText(item, 'requestHash') }),
});
