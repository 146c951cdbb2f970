import type { RenewalLock, RenewalLocks, RenewalRefusal } from '../../../credentials/outbound/ports.ts';
import { type Attributes, json, readJson, readNumber, readText } from '../attributes.ts';
import { findItem, onTable, putItem } from '../items.ts';

/** How long a refusal is kept, in seconds: a credential that is used is refused again. */
const REFUSAL_SECONDS = 30 * 86_400;

/** It was never taken, has expired or is released. */
const IS_FREE = 'attribute_not_exists(deliveryId) OR #until <= :now';

/** One item per credential, in the table of the delivery claims. A lock is released by an end in the past. */
export const createRenewalLocks = onTable('deliveries', (table): RenewalLocks => {
  const keyOfLock = (credentialId: string) => ({ deliveryId: `renewal:${credentialId}` });

  const put = (
    credentialId: string,
    { holder, until, isWriting }: RenewalLock,
    condition: string,
    values: Attributes,
  ): Promise<boolean> => {
    const writing = isWriting ? true : null;
    const attributes = { holder, until, writing, expiresAt: Math.ceil(until / 1_000) };
    return putItem(table, keyOfLock(credentialId), attributes, { condition, values });
  };

  return {
    find: (credentialId) =>
      findItem(table, keyOfLock(credentialId), (item) => ({
        holder: readText(item, 'holder'),
        until: readNumber(item, 'until'),
        isWriting: item.writing?.BOOL === true,
        refusal: readJson<RenewalRefusal | null>(item, 'refusal', null),
      })),

    take: (credentialId, lock, now) => put(credentialId, lock, IS_FREE, { ':now': now }),

    takeOver: (credentialId, lock, now) =>
      put(credentialId, lock, `${IS_FREE} OR attribute_not_exists(writing)`, { ':now': now }),

    beginWriting: (credentialId, lock) =>
      put(credentialId, { ...lock, isWriting: true }, 'holder = :holder', { ':holder': lock.holder }),

    release: async (credentialId, holder, now, refusal) => {
      const expiresAt = Math.ceil(now / 1_000) + (refusal === null ? 0 : REFUSAL_SECONDS);
      const released = { holder, until: 0, refusal: json(refusal), expiresAt };
      const isHeld = { condition: 'holder = :holder', values: { ':holder': holder } };
      await putItem(table, keyOfLock(credentialId), released, isHeld, null);
    },
  };
});
