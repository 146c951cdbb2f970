import { NodeError } from '../contract/errors.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { OutboundResponse } from '../contract/services.ts';
import { isJsonMap } from '../declare/read-parameters.ts';
import { readErrorBody } from './read-body.ts';

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
  /** Fields added to the error's details, before the response. */
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

/** Whether another attempt may succeed after this status; the default of `retryStatus` of `httpRequest`. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || (status >= 500 && status <= 599);

/** The statuses whose `Retry-After` says when to try again: RFC 6585 §4, RFC 9110 §15.6.4. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** Matches a date as senders must write it (RFC 9110 §5.6.7), or with the obsolete long day names. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, [\w -]{9,11} \d\d:\d\d:\d\d GMT$/;

/**
 * Reads `Retry-After` (RFC 9110 §10.2.3): seconds or a date.
 *
 * @param now - milliseconds since the epoch
 * @returns milliseconds from now; undefined if there is none
 */
export const readRetryAfter = (
  status: number,
  { 'retry-after': value = '' }: Readonly<Record<string, string>>,
  now: number,
): number | undefined => {
  if (!WITH_RETRY_AFTER.has(status)) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  // `Date.parse` takes 30 February for 2 March.
  const exists = new Date(at).getUTCDate() === Number.parseInt(value.replace(/^\D+/, ''), 10);
  return !exists ? undefined : Math.max(0, at - now);
};

const MAX_LENGTH = 300;

/**
 * Keys under which services say what is wrong, by RFC 9457, OAuth, GraphQL and common practice; the more specific ones
 * first.
 */
const KEYS = ['message', 'error_description', 'detail', 'error', 'title', 'errors'] as const;

/**
 * Finds a service's message about a failure: the first text under one of the known keys, in a map or a list of maps.
 *
 * @returns one line of at most 300 characters; null if there is none
 */
export const findProblem = (body: JsonValue | undefined): string | null => {
  const text = findText(body, 3);
  if (text === null) return null;
  const line = text.slice(0, MAX_LENGTH).replaceAll(/\s+/g, ' ').trim();
  return line === '' ? null : line;
};

/** @param depth - how many nested levels are searched */
const findText = (value: JsonValue | undefined, depth: number): string | null => {
  if (depth < 0) return null;
  const place = Array.isArray(value) ? value[0] : value;
  if (!isJsonMap(place)) return null;
  for (const key of KEYS) {
    const found = Object.hasOwn(place, key) ? place[key] : undefined;
    const text = typeof found === 'string' ? found : findText(found, depth - 1);
    if (text !== null) return text;
  }
  return null;
};
