import { createHash } from 'node:crypto';
import type { Ids } from '@hookloom/plugin-kit';
import type { NewExecution } from '../executions/lifecycle/new-execution.ts';
import { AppError } from '../shared/errors.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { toExecutionId } from './to-execution-id.ts';

/** What fires a trigger: a request, an event. */
interface Delivery extends Omit<NewExecution, 'executionId'> {
  /** The same for a repeated delivery; null without one: then each is a new one. */
  readonly key: string | null;
  /** What a repeated delivery repeats byte for byte. */
  readonly content: string | Uint8Array;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** A claimed delivery, and the execution that it stands for. */
export interface ClaimedDelivery {
  readonly execution: NewExecution;
  readonly receivedAt: number;
  readonly isKeyed: boolean;
  readonly isDuplicate: boolean;
}

export interface ClaimParts {
  readonly deliveries: DeliveryStore;
  readonly ids: Ids;
  /** The id of the execution that a request starts; null for one that may be invoked again. Absent: all get one of `ids`. */
  readonly idOfRequest?: (requestId: string, receivedAt: number) => string | null;
  /** How long a repeated delivery is a duplicate, in milliseconds. */
  readonly windowMs: number;
}

/**
 * Claims a delivery: a new execution, or the one of an earlier delivery with the same key within the window.
 *
 * @param takesOther - whether other content under the same key is a repeated delivery as well
 * @throws AppError `DELIVERY_KEY_REUSED` when the earlier delivery had other content, `STORE_UNAVAILABLE`
 */
export const claimDelivery = async (
  { key, content, receivedAt, ...unclaimed }: Delivery,
  { deliveries, ids, idOfRequest, windowMs }: ClaimParts,
  takesOther = false,
): Promise<ClaimedDelivery> => {
  const { requestId } = unclaimed;
  const ofRequest = (requestId && idOfRequest?.(requestId, receivedAt)) || null;
  if (key === null) {
    const execution = { ...unclaimed, executionId: ofRequest ?? ids.next() };
    return { execution, receivedAt, isKeyed: false, isDuplicate: false };
  }
  const deliveryId = toDeliveryId(unclaimed.workflow.definition.id, unclaimed.trigger.nodeId, key);
  const own = {
    deliveryId,
    // Includes the time: after the window, the same key starts another execution.
    executionId: ofRequest ?? toExecutionId(hash(`${deliveryId}/${receivedAt}`, 'base64url')),
    bodyHash: hash(content, 'hex'),
    claimedAt: receivedAt,
    until: receivedAt + windowMs,
  };
  const { executionId, bodyHash } = await deliveries.claim(own);
  if (bodyHash !== own.bodyHash && !takesOther) throw new AppError('DELIVERY_KEY_REUSED', { executionId });
  const isDuplicate = executionId !== own.executionId;
  return { execution: { ...unclaimed, executionId }, receivedAt, isKeyed: true, isDuplicate };
};

/** The id of a delivery to a trigger. @param key - see {@link Delivery} */
export const toDeliveryId = (workflowId: string, nodeId: string, key: string): string =>
  hash(JSON.stringify([workflowId, nodeId, key]), 'hex');

const hash = (data: string | Uint8Array, encoding: 'hex' | 'base64url'): string =>
  createHash('sha256').update(data).digest(encoding);
