import type {
  RenewalLock,
  RenewalLocks,
  RenewalRefusal,
} from '../../../credentials/outbound/renew-secret.ts';
import {
  compact,
  type Item,
  json,
  number,
  optional,
  readJson,
  readNumber,
  readText,
  text,
} from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { getItem, putItem, sameAs } from '../items.ts';
import type { TableNames } from '../table-names.ts';

/** How long a refusal is kept, in seconds: a credential that is used is refused again. */
const REFUSAL_SECONDS = 30 * 86_400;

/** It was never taken, has expired or is released. */
const IS_FREE = 'attribute_not_exists(deliveryId) OR #until <= :now';

/** One item per credential, in the table of the delivery claims. A lock is released by an end in the past. */
export const createRenewalLocks = (
  client: DynamoDbClient,
  { deliveries: TableName }: Pick<TableNames, 'deliveries'>,
): RenewalLocks => {
  const keyOf = (credentialId: string) => ({ deliveryId: text(`renewal:${credentialId}`) });

  /** Puts a lock if a condition holds, whose values are `:now` and `:holder`. */
  const put = (
    credentialId: string,
    { holder, until, isWriting }: RenewalLock,
    ConditionExpression: string,
    values: Item,
  ): Promise<boolean> => {
    const Key = keyOf(credentialId);
    const Item = compact({
      ...{ ...Key, holder: text(holder), until: number(until), expiresAt: number(Math.ceil(until / 1_000)) },
      writing: isWriting ? { BOOL: true } : undefined,
    });
    const names = ConditionExpression.includes('#until')
      ? { ExpressionAttributeNames: { '#until': 'until' } }
      : {};
    const input = { TableName, Key, Item, ConditionExpression, ...names, ExpressionAttributeValues: values };
    return putItem(client, input, sameAs(Item));
  };

  return {
    find: async (credentialId) => {
      const item = await getItem(client, { TableName, Key: keyOf(credentialId), ConsistentRead: true });
      return item === null
        ? null
        : {
            holder: readText(item, 'holder'),
            until: readNumber(item, 'until'),
            isWriting: item.writing?.BOOL === true,
            refusal: item.refusal === undefined ? null : readJson<RenewalRefusal>(item, 'refusal'),
          };
    },

    take: (credentialId, lock, now) => put(credentialId, lock, IS_FREE, { ':now': number(now) }),

    takeOver: (credentialId, lock, now) =>
      put(credentialId, lock, `${IS_FREE} OR attribute_not_exists(writing)`, { ':now': number(now) }),

    beginWriting: (credentialId, lock) =>
      put(credentialId, { ...lock, isWriting: true }, 'holder = :holder', { ':holder': text(lock.holder) }),

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
