import type { RenewalLocks, RenewalRefusal } from '../../../credentials/outbound/renew-secret.ts';
import { compact, json, number, optional, readJson, readNumber, readText, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { getItem, putItem, sameAs } from '../items.ts';
import type { TableNames } from '../table-names.ts';

/** How long a refusal is kept, in seconds: a credential that is used is refused again. */
const REFUSAL_SECONDS = 30 * 86_400;

/** One item per credential, in the table of the delivery claims. A lock is released by an end in the past. */
export const createRenewalLocks = (
  client: DynamoDbClient,
  { deliveries: TableName }: Pick<TableNames, 'deliveries'>,
): RenewalLocks => {
  const keyOf = (credentialId: string) => ({ deliveryId: text(`renewal:${credentialId}`) });

  return {
    find: async (credentialId) => {
      const item = await getItem(client, { TableName, Key: keyOf(credentialId), ConsistentRead: true });
      return item === null
        ? null
        : {
            holder: readText(item, 'holder'),
            until: readNumber(item, 'until'),
            refusal: item.refusal === undefined ? null : readJson<RenewalRefusal>(item, 'refusal'),
          };
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

    release: async (credentialId, holder, now, refusal) => {
      const Key = keyOf(credentialId);
      const expiresAt = Math.ceil(now / 1_000) + (refusal === null ? 0 : REFUSAL_SECONDS);
      const Item = compact({
        ...{ ...Key, holder: text(holder), until: number(0) },
        ...{ refusal: optional(refusal, json), expiresAt: number(expiresAt) },
      });
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
