import { randomUUID } from 'node:crypto';
import { lastFullAt, type TakeToken } from '../../../webhooks/limits/token-bucket.ts';
import { type Attributes, readNumber } from '../attributes.ts';
import { getItem, onTable, updateItem } from '../items.ts';

const US_PER_SECOND = 1_000_000;

/**
 * Token buckets in the table of the delivery claims, as items that expire when they are full. A conditional write takes
 * a token: one form for a full bucket, starting now, one for a used bucket, continuing from its state. For a bucket
 * that is known to be in use, only the second is tried. The item names the last request that took a token, so that a
 * write that is repeated because its answer was lost takes a second token only if another request took one in between.
 */
export const createTokenBuckets = onTable(
  'deliveries',
  (table): TakeToken =>
    async (bucket, now, knownFullAt) => {
      const { key, burst, intervalUs } = bucket;
      const bucketKey = { deliveryId: `bucket:${key}` };
      const takenBy = randomUUID();

      /** The time at which the bucket is full; null if the condition does not hold. */
      const write = async (condition: string, fullAt: string, values: Attributes): Promise<number | null> => {
        const updated = await updateItem(
          table,
          bucketKey,
          {
            condition: `(${condition}) AND (attribute_not_exists(#takenBy) OR #takenBy <> :set_takenBy)`,
            statesVersion: true,
            set: { takenBy, expiresAt: Math.ceil((now + burst * intervalUs) / US_PER_SECOND) + 1 },
            compute: { fullAt },
            values,
          },
          (stored) => stored.takenBy?.S === takenBy,
          'UPDATED_NEW',
        );
        return updated === null ? null : readNumber(updated, 'fullAt');
      };

      const takeFromFull = () =>
        write('attribute_not_exists(#fullAt) OR #fullAt <= :now', ':next', {
          ':now': now,
          ':next': now + intervalUs,
        });

      const takeFromUsed = () =>
        write('#fullAt > :now AND #fullAt <= :last', '#fullAt + :interval', {
          ':now': now,
          ':last': lastFullAt(bucket, now),
          ':interval': intervalUs,
        });

      const isUsed = knownFullAt !== null && knownFullAt > now;
      // In this order, because for the same `now` a bucket in use stays in use; if the second write is refused too, the
      // bucket is empty.
      const fullAt = (isUsed ? null : await takeFromFull()) ?? (await takeFromUsed());
      if (fullAt !== null) return { isTaken: true, fullAt };
      const item = await getItem(table, bucketKey);
      return { isTaken: false, fullAt: readNumber(item ?? {}, 'fullAt', lastFullAt(bucket, now) + 1) };
    },
);
