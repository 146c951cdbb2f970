import { createHash } from 'node:crypto';
import type { Clock } from '@hookloom/plugin-kit';

/**
 * The id of an execution from a hash in base64url. It does not begin with a hyphen, since the command line would take it for an
 * option.
 */
export const toExecutionId = (hash: string): string => (hash.startsWith('-') ? `0${hash.slice(1)}` : hash);

/** The id of the execution that a request starts, which is found by the gateway's id of the request with one read. */
export const executionIdOfRequest = (requestId: string): string =>
  toExecutionId(createHash('sha256').update(`request/${requestId}`).digest('base64url'));

/** An older request has been recorded, as sample events are: each time that it is invoked starts an execution of its own. */
const REPLAYED_AFTER_MS = 5 * 60_000;

/** {@link executionIdOfRequest} of requests that have just come, of which there is one each; null for others. */
export const createIdOfRequest =
  ({ now }: Pick<Clock, 'now'>) =>
  (requestId: string, receivedAt: number): string | null =>
    Math.abs(now() - receivedAt) < REPLAYED_AFTER_MS ? executionIdOfRequest(requestId) : null;
