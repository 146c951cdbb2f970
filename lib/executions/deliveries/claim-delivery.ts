import { hash } from 'node:crypto';
import { DELIVERY_KEY_REUSED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';
import type { DeliveryClaim } from '../delivery-store.ts';
import { acceptExecution } from '../lifecycle/accept-execution.ts';
import type { NewExecution } from '../lifecycle/new-execution.ts';
import type { AcceptPorts, Ports } from '../ports.ts';
import type { ExecutionRecord, Hold } from '../record/execution-store.ts';
import { toExecutionId } from './to-execution-id.ts';

/** What fires a trigger: a request or an event. */
interface Delivery {
  /** The execution that it starts, unless it is a repeated one. */
  readonly execution: Omit<NewExecution, 'executionId'>;
  /** Key of the delivery, the same for repeated ones; null if every delivery is new. */
  readonly key: string | null;
  /** The content, which repeated deliveries repeat byte for byte. */
  readonly content: string | Uint8Array;
  /** Method, path and query of a request, which repeated deliveries repeat, too; absent for events. */
  readonly address?: string;
  /** The id of the secret that authenticated the caller, whose keys are its own; null or absent without one. */
  readonly secretId?: string | null;
  /** When the delivery was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
}

export interface ClaimedDelivery {
  readonly execution: NewExecution;
  readonly receivedAt: number;
  readonly isKeyed: boolean;
  readonly isDuplicate: boolean;
  /** The valid claim of a keyed delivery. */
  readonly claim?: DeliveryClaim;
  /** Whether the earlier delivery had other content, which counts as repeated nevertheless; absent if not. */
  readonly isOther?: true;
}

export interface ClaimPorts extends Pick<Ports, 'deliveries' | 'ids'> {
  /**
   * The id of the execution that a request starts; null for a request that may be invoked again. If absent, ids come
   * from `ids`.
   */
  readonly idOfRequest?: (requestId: string, receivedAt: number) => string | null;
  /** How long a repeated delivery counts as a duplicate, in milliseconds. */
  readonly windowMs: number;
}

/**
 * Claims a delivery: a new execution, or the one of an earlier delivery with the same key within the window.
 *
 * @param takesOther - whether different content with the same key also counts as a repeated delivery
 * @throws AppError `DELIVERY_KEY_REUSED` when the earlier delivery had different content or another address, `STORE_UNAVAILABLE`
 */
export const claimDelivery = (
  delivery: Delivery,
  ports: ClaimPorts,
  takesOther = false,
): ClaimedDelivery | Promise<ClaimedDelivery> => {
  const { execution, receivedAt, key } = delivery;
  const { requestId } = execution;
  const ofRequest = (requestId && ports.idOfRequest?.(requestId, receivedAt)) || null;
  if (key !== null) return claimKey({ ...delivery, key }, ofRequest, ports, takesOther);
  const executionId = ofRequest ?? ports.ids.next();
  return { execution: { ...execution, executionId }, receivedAt, isKeyed: false, isDuplicate: false };
};

const claimKey = async (
  { execution, key, content, address, secretId = null, receivedAt }: Delivery & { readonly key: string },
  ofRequest: string | null,
  { deliveries, windowMs }: ClaimPorts,
  takesOther: boolean,
): Promise<ClaimedDelivery> => {
  const own = {
    bodyHash: hashDelivery(content, 'hex'),
    ...(address === undefined ? {} : { requestHash: hashDelivery(address, 'hex') }),
    ...(secretId === null ? {} : { caller: hashDelivery(secretId, 'hex') }),
    claimedAt: receivedAt,
    until: receivedAt + windowMs,
  };
  const toOwn = (ownKey: string) => {
    const deliveryId = toDeliveryId(execution.workflow.definition.id, execution.trigger.nodeId, ownKey);
    // Includes the time: after the window, the same key starts a new execution.
    const executionId = ofRequest ?? toExecutionId(hashDelivery(`${deliveryId}/${receivedAt}`, 'base64url'));
    return { ...own, deliveryId, executionId };
  };
  let mine = toOwn(key);
  let claim = await deliveries.claim(mine);
  // Another caller has used the same key: each has its own deliveries, and gets no answer of the other.
  if (claim.caller !== undefined && claim.caller !== own.caller) {
    mine = toOwn(JSON.stringify([key, own.caller ?? null]));
    claim = await deliveries.claim(mine);
  }
  const { executionId, bodyHash, requestHash = own.requestHash } = claim;
  const isOther = bodyHash !== own.bodyHash || requestHash !== own.requestHash;
  if (isOther && !takesOther) throw new AppError(DELIVERY_KEY_REUSED, { executionId });
  const isDuplicate = executionId !== mine.executionId;
  return {
    execution: { ...execution, executionId },
    receivedAt,
    isKeyed: true,
    isDuplicate,
    claim,
    ...(isOther ? { isOther } : {}),
  };
};

/**
 * Stores the execution of a claimed delivery and dispatches it unless it is held: see {@link acceptExecution}.
 *
 * @returns the record if the execution was accepted before, or null
 * @throws AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED`
 */
export const acceptDelivery = (
  { execution, receivedAt, isKeyed }: ClaimedDelivery,
  mode: BackgroundMode,
  ports: AcceptPorts,
  held: Hold | null = null,
): Promise<ExecutionRecord | null> =>
  acceptExecution(execution, { mode, startedAt: receivedAt, isRepeatable: isKeyed, held }, ports);

/** The id of a delivery to a trigger. @param key - see {@link Delivery} */
export const toDeliveryId = (workflowId: string, nodeId: string, key: string): string =>
  hashDelivery(JSON.stringify([workflowId, nodeId, key]), 'hex');

interface RetryRequest {
  /** Id of the execution that is retried. */
  readonly retryOf: string;
  /** The header `Idempotency-Key`, the same for a repeated request. */
  readonly key: string;
  /** What a repeated request repeats. */
  readonly content: string;
  /** How long a repeated request counts as a duplicate, in milliseconds. */
  readonly windowMs: number;
}

/**
 * Claims the request for a retry: a new execution, or the one of an earlier request with the same key.
 *
 * @throws AppError `DELIVERY_KEY_REUSED` when the earlier request asked for something else, `STORE_UNAVAILABLE`
 */
export const claimRetry = async (
  { retryOf, key, content, windowMs }: RetryRequest,
  { deliveries, ids, clock }: Pick<Ports, 'deliveries' | 'ids' | 'clock'>,
): Promise<{ readonly executionId: string; readonly isDuplicate: boolean }> => {
  const claimedAt = clock.now();
  const mine = {
    deliveryId: hashDelivery(JSON.stringify([['retry', retryOf], key]), 'hex'), // unlike the key of any delivery to a trigger
    executionId: ids.next(),
    bodyHash: hashDelivery(content, 'hex'),
    claimedAt,
    until: claimedAt + windowMs,
  };
  const { executionId, bodyHash } = await deliveries.claim(mine);
  if (bodyHash !== mine.bodyHash) throw new AppError(DELIVERY_KEY_REUSED, { executionId });
  return { executionId, isDuplicate: executionId !== mine.executionId };
};

const hashDelivery = (data: string | Uint8Array, encoding: 'hex' | 'base64url'): string =>
  hash('sha256', data, encoding);
