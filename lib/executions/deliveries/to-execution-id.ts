import { hash } from 'node:crypto';
import type { Clock } from '@hookloom/plugin-kit';

/**
 * An execution id from a base64url hash. It never begins with a hyphen, which the command line would parse as an
 * option.
 */
export const toExecutionId = (digest: string): string =>
  digest.startsWith('-') ? `0${digest.slice(1)}` : digest;

const hashToId = (text: string): string => toExecutionId(hash('sha256', text, 'base64url'));

/** The id of the execution that a request starts, derived from the gateway's request id, so that one read finds it. */
export const executionIdOfRequest = (requestId: string): string => hashToId(`request/${requestId}`);

/** The id of the execution with which a bulk retry retries another one, so that it is retried once. */
export const executionIdOfRetry = (bulkRetryId: string, executionId: string): string =>
  hashToId(`retry/${bulkRetryId}/${executionId}`);

/** The id of an execution that a poll starts or fails with, derived from what makes it the same one when it is repeated. */
export const executionIdOfPoll = (parts: readonly (string | number)[]): string =>
  hashToId(`poll/${JSON.stringify(parts)}`);

/** Older requests are recorded ones, such as sample events: each invocation starts a new execution. */
const REPLAYED_AFTER_MS = 5 * 60_000;

/** {@link executionIdOfRequest} of fresh requests, which are unique; null for older ones. */
export const createIdOfRequest =
  ({ now }: Pick<Clock, 'now'>) =>
  (requestId: string, receivedAt: number): string | null =>
    Math.abs(now() - receivedAt) < REPLAYED_AFTER_MS ? executionIdOfRequest(requestId) : null;
