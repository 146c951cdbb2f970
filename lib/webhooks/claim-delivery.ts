import { createHash } from 'node:crypto';
import type { Ids } from '../contract/services.ts';
import { AppError } from '../shared/errors.ts';
import type { DeliveryStore } from './delivery-store.ts';

interface Delivery {
  readonly workflowId: string;
  readonly triggerNodeId: string;
  /** The sender's key; null without one. */
  readonly key: string | null;
  readonly rawBody: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** The execution of a delivery. */
interface Claim {
  readonly executionId: string;
  readonly isDuplicate: boolean;
}

/**
 * Claims a delivery: a new execution, or the one of an earlier delivery with the same key within the window.
 *
 * @throws AppError `DELIVERY_KEY_REUSED` when the earlier delivery had another body, `STORE_UNAVAILABLE`
 */
export const claimDelivery = async (
  { workflowId, triggerNodeId, key, rawBody, receivedAt }: Delivery,
  parts: { readonly deliveries: DeliveryStore; readonly ids: Ids; readonly windowMs: number },
): Promise<Claim> => {
  if (key === null) return { executionId: parts.ids.next(), isDuplicate: false };
  const deliveryId = hash(JSON.stringify([workflowId, triggerNodeId, key]), 'hex');
  const own = {
    deliveryId,
    // Includes the time: after the window, the same key starts another execution.
    executionId: hash(`${deliveryId}/${receivedAt}`, 'base64url'),
    bodyHash: hash(rawBody, 'hex'),
    claimedAt: receivedAt,
    until: receivedAt + parts.windowMs,
  };
  const { executionId, bodyHash } = await parts.deliveries.claim(own);
  if (bodyHash !== own.bodyHash) throw new AppError('DELIVERY_KEY_REUSED', { executionId });
  return { executionId, isDuplicate: executionId !== own.executionId };
};

const hash = (data: string | Uint8Array, encoding: 'hex' | 'base64url'): string =>
  createHash('sha256').update(data).digest(encoding);
