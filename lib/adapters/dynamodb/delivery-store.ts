import type { DeliveryClaim, DeliveryStore } from '../../executions/delivery-store.ts';
import { type Item, readNumber, readText } from './attributes.ts';
import { type Condition, findItem, type IsOurs, onTable, putItem } from './items.ts';

/** A claim may expire between the refused write and the read; then the next try wins or finds a newer claim. */
const MAX_TRIES = 3;

/** One item per claim, written on the condition that no valid claim exists. */
export const createDeliveryStore = onTable('deliveries', (table): DeliveryStore => {
  const put = ({ deliveryId, ...claim }: DeliveryClaim, condition: Condition, isOurs: IsOurs) =>
    putItem(
      table,
      { deliveryId },
      { ...claim, expiresAt: Math.ceil(claim.until / 1_000) },
      condition,
      isOurs,
    );

  const find = (deliveryId: string) => findItem(table, { deliveryId }, toClaim);

  return {
    find,
    takeOver: (claim) =>
      put(
        claim,
        { condition: 'executionId = :retried', values: { ':retried': claim.retries } },
        (item) => readText(item, 'executionId') === claim.executionId,
      ),
    claim: async (claim) => {
      const isFree = {
        condition: 'attribute_not_exists(deliveryId) OR #until <= :claimedAt',
        values: { ':claimedAt': claim.claimedAt },
      };
      for (let tries = 1; ; tries++) {
        // Not confirmed, because after a refused write the claim is read anyway, and may be this one.
        if (await put(claim, isFree, null)) return claim;
        const found = await find(claim.deliveryId);
        if (found !== null && (found.until > claim.claimedAt || tries === MAX_TRIES)) return found;
      }
    },
  };
});

const OPTIONAL = ['requestHash', 'caller', 'retries'] as const;

const toClaim = (item: Item): DeliveryClaim => ({
  deliveryId: readText(item, 'deliveryId'),
  executionId: readText(item, 'executionId'),
  bodyHash: readText(item, 'bodyHash'),
  claimedAt: readNumber(item, 'claimedAt'),
  until: readNumber(item, 'until'),
  ...Object.fromEntries(OPTIONAL.flatMap((name) => (item[name] ? [[name, readText(item, name)]] : []))),
});
