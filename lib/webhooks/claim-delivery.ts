import { createHash } from 'node:crypto';
import type { Ids } from '../contract/services.ts';
import { AppError } from '../shared/errors.ts';
import type { DeliveryStore } from './delivery-store.ts';

interface DeliveryId {
  readonly workflowId: string;
  readonly triggerNodeId: string;
  /** The sender's key; null when it has none. */
  readonly key: string | null;
  readonly rawBody: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** The execution that a delivery stands for. */
interface Claim {
  readonly executionId: string;
  /** Whether the delivery has come before. */
  readonly isDuplicate: boolean;
}

/**
 * Finds out for which execution a delivery is: one that came before, under the same key and within the window, or a
 * new one.
 * @throws AppError `DELIVERY_KEY_REUSED` | `STORE_UNAVAILABLE`
 */
export const claimDelivery = async (
  { workflowId, triggerNodeId, key, rawBody, receivedAt }: DeliveryId,
  parts: { readonly deliveries: DeliveryStore; readonly ids: Ids; readonly windowMs: number },
): Promise<Claim> => {
  if (key === null) return { executionId: parts.ids.next(), isDuplicate: false };
  const deliveryId = hash(JSON.stringify([workflowId, triggerNodeId, key]), 'hex');
  const own = {
    deliveryId,
    // With the time: after the window, the same key is for another execution.
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
