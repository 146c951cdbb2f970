import type { RenewalLocks } from '../../../credentials/outbound/renew-secret.ts';
import { number, readNumber, readText, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { getItem, putItem, sameAs } from '../items.ts';
import type { TableNames } from '../table-names.ts';

/** One item per credential, in the table of the delivery claims. A lock is released by an end in the past. */
export const createRenewalLocks = (
  client: DynamoDbClient,
  { deliveries: TableName }: Pick<TableNames, 'deliveries'>,
): RenewalLocks => {
  const keyOf = (credentialId: string) => ({ deliveryId: text(`renewal:${credentialId}`) });

  return {
    find: async (credentialId) => {
      const item = await getItem(client, { TableName, Key: keyOf(credentialId), ConsistentRead: true });
      return item === null ? null : { holder: readText(item, 'holder'), until: readNumber(item, 'until') };
    },

    take: (credentialId, { holder, until }, now) => {
      const Key = keyOf(credentialId);
      const expiresAt = number(Math.ceil(until / 1_000));
      const Item = { ...Key, holder: text(holder), until: number(until), expiresAt };
      return putItem(
        client,
        {
          ...{ TableName, Key, Item },
          ConditionExpression: 'attribute_not_exists(deliveryId) OR #until <= :now',
          ExpressionAttributeNames: { '#until': 'until' },
          ExpressionAttributeValues: { ':now': number(now) },
        },
        sameAs(Item),
      );
    },

    release: async (credentialId, holder) => {
      const Key = keyOf(credentialId);
      const Item = { ...Key, holder: text(holder), until: number(0), expiresAt: number(0) };
      await putItem(
        client,
        {
          ...{ TableName, Key, Item },
          ConditionExpression: 'holder = :holder',
          ExpressionAttributeValues: { ':holder': text(holder) },
        },
        null,
      );
    },
  };
};
