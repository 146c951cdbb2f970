import { NodeError } from '../../contract/node-error.ts';
import type { OutboundResponse } from '../../contract/services.ts';
import { readErrorBody } from './read-body.ts';
import { readRetryAfter } from './retry-after.ts';

interface StatusErrorOptions {
  readonly isRetryable: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Number of the page; null without pagination. */
  readonly page: number | null;
}

/**
 * The failure of a request that was answered. Its details are `{ status, body, headers }`: the body before the headers,
 * since a record shows the start.
 */
export const toStatusError = (
  response: OutboundResponse,
  { isRetryable, now, page }: StatusErrorOptions,
): NodeError => {
  const { status, headers, url } = response;
  const retryAfterMs = readRetryAfter(status, headers, now);
  const { body, truncated } = readErrorBody(response);
  const place = page === null ? '' : ` for page ${page}`;
  return new NodeError(`${new URL(url).host} answered ${status}${place}`, {
    name: 'HttpStatusError',
    isRetryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    details: {
      status,
      body,
      ...(truncated === undefined ? {} : { bodyTruncated: true }),
      headers,
      ...(page === null ? {} : { page }),
    },
  });
};
