import { createHash } from 'node:crypto';
import { DELIVERY_KEY_REUSED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { Ports } from '../ports.ts';

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
    deliveryId: hash(JSON.stringify([['retry', retryOf], key])), // unlike the key of any delivery to a trigger
    executionId: ids.next(),
    bodyHash: hash(content),
    claimedAt,
    until: claimedAt + windowMs,
  };
  const { executionId, bodyHash } = await deliveries.claim(mine);
  if (bodyHash !== mine.bodyHash) throw new AppError(DELIVERY_KEY_REUSED, { executionId });
  return { executionId, isDuplicate: executionId !== mine.executionId };
};

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
