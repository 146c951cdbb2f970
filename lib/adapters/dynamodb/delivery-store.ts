import type { PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { DeliveryClaim, DeliveryStore } from '../../executions/deliveries/delivery-store.ts';
import { type Item, number, readNumber, readText, text } from './attributes.ts';
import type { DynamoDbClient } from './client.ts';
import { getItem, type IsOurs, putItem } from './items.ts';
import type { TableNames } from './table-names.ts';

/** A claim may expire between the refused write and the read; then the next try wins or finds a newer claim. */
const MAX_TRIES = 3;

type Condition = Omit<PutItemCommandInput, 'TableName' | 'Key' | 'Item'>;

/** One item per claim, written on the condition that no valid claim exists. */
export const createDeliveryStore = (
  client: DynamoDbClient,
  tables: Pick<TableNames, 'deliveries'>,
): DeliveryStore => {
  const put = (claim: DeliveryClaim, condition: Condition, isOurs: IsOurs): Promise<boolean> => {
    const Key = { deliveryId: text(claim.deliveryId) };
    return putItem(client, { TableName: tables.deliveries, Key, Item: toItem(claim), ...condition }, isOurs);
  };

  const find = async (deliveryId: string): Promise<DeliveryClaim | null> => {
    const Key = { deliveryId: text(deliveryId) };
    const item = await getItem(client, { TableName: tables.deliveries, Key, ConsistentRead: true });
    return item === null ? null : toClaim(item);
  };

  return {
    find,
    takeOver: (claim) => {
      const condition = {
        ConditionExpression: 'executionId = :retried',
        ExpressionAttributeValues: { ':retried': text(claim.retries) },
      };
      return put(claim, condition, (item) => readText(item, 'executionId') === claim.executionId);
    },
    claim: async (claim) => {
      const condition = {
        ConditionExpression: 'attribute_not_exists(deliveryId) OR #until <= :claimedAt',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: { ':claimedAt': number(claim.claimedAt) },
      };
      for (let tries = 1; ; tries++) {
        // Not confirmed, because after a refused write the claim is read anyway, and may be this one.
        if (await put(claim, condition, null)) return claim;
        const found = await find(claim.deliveryId);
        if (found !== null && (found.until > claim.claimedAt || tries === MAX_TRIES)) return found;
      }
    },
  };
};

const toItem = (claim: DeliveryClaim): Item => {
  const fields = Object.entries(claim).map(([name, value]: [string, string | number]) => [
    name,
    typeof value === 'number' ? number(value) : text(value),
  ]);
  return { ...Object.fromEntries(fields), expiresAt: number(Math.ceil(claim.until / 1_000)) };
};

const OPTIONAL = ['requestHash', 'caller', 'retries'] as const;

const toClaim = (item: Item): DeliveryClaim => ({
  deliveryId: readText(item, 'deliveryId'),
  executionId: readText(item, 'executionId'),
  bodyHash: readText(item, 'bodyHash'),
  claimedAt: readNumber(item, 'claimedAt'),
  until: readNumber(item, 'until'),
  ...Object.fromEntries(OPTIONAL.flatMap((name) => (item[name] ? [[name, readText(item, name)]] : []))),
});
