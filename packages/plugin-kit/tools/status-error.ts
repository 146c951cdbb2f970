import type { JsonObject } from '../contract/json.ts';
import { NodeError } from '../contract/node-error.ts';
import type { OutboundResponse } from '../contract/services.ts';
import { readErrorBody } from './read-body.ts';
import { readRetryAfter } from './retry-after.ts';

interface StatusErrorOptions {
  readonly isRetryable: boolean;
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
  /** Number of the page, if the request is one of several. */
  readonly page?: number | null;
  /** Minimum delay before the next attempt; by default from `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
  /** The service's own message, in one line, which becomes part of the error message. */
  readonly problem?: string | null | undefined;
  /** The error code of the service. */
  readonly code?: string | undefined;
  /** Added to the details, before the response. */
  readonly details?: JsonObject | undefined;
}

/** The failure of a request that got a response, with the details of {@link describeResponse}, `code` and `page`. */
export const toStatusError = (response: OutboundResponse, options: StatusErrorOptions): NodeError => {
  const { status, headers, url } = response;
  const { isRetryable, now, page = null, problem = null, code, details = {} } = options;
  const { retryAfterMs = readRetryAfter(status, headers, now) } = options;
  const place = page === null ? '' : ` for page ${page}`;
  const reason = problem === null ? '' : `: ${problem}`;
  return new NodeError(`${new URL(url).host} answered ${status}${place}${reason}`, {
    name: 'HttpStatusError',
    isRetryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    details: {
      ...(code === undefined ? {} : { code }),
      ...(page === null ? {} : { page }),
      ...details,
      ...describeResponse(response),
    },
  });
};

/**
 * A response as details of an error: `{ status, body, bodyTruncated?, headers }`. The body precedes the headers, since
 * a record shows only the start.
 */
export const describeResponse = (response: OutboundResponse): JsonObject => {
  const { status, headers } = response;
  const { body, truncated } = readErrorBody(response);
  return { status, body, ...(truncated === undefined ? {} : { bodyTruncated: true }), headers };
};
