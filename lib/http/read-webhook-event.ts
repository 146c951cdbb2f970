import { BODY_TOO_LARGE, NOT_FOUND, REQUEST_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';

/**
 * Parses an event of an API Gateway HTTP API (payload format 2.0) into the `WebhookRequest` of lib/webhooks.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 *
 * The path comes from `pathParameters`, which the gateway has decoded exactly once. It is not decoded again and never
 * passed through `URL`, which resolves `%2e%2e`. `rawPath` is for `requestPath` only: AWS sends it decoded and cut at a
 * decoded `?`.
 *
 * @param now - milliseconds since the epoch, for events without a receipt time
 * @throws AppError `REQUEST_INVALID` | `NOT_FOUND` for any event that can't be read
 */
export const readWebhookEvent = (event: unknown, now: number) => {
  const { body, cookies, headers, isBase64Encoded, pathParameters, rawPath, rawQueryString, requestContext } =
    toRecord(event);
  const { http, requestId, timeEpoch } = toRecord(requestContext);
  const { method, sourceIp } = toRecord(http);
  const parameters = toRecord(pathParameters);
  return {
    method: readMethod(method),
    workflowId: stringOrEmpty(parameters.workflowId),
    path: readPath(parameters.path),
    requestPath: stringOrEmpty(rawPath),
    rawQueryString: stringOrEmpty(rawQueryString),
    headers: readHeaders(headers, cookies),
    rawBody: readBody(body, isBase64Encoded === true),
    remoteAddress: stringOrEmpty(sourceIp),
    // A time within the range of `Date`, so that it can be formatted as ISO 8601.
    receivedAt: typeof timeEpoch === 'number' && timeEpoch >= 0 && timeEpoch <= 8.64e15 ? timeEpoch : now,
    requestId: stringOrEmpty(requestId),
  };
};

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The value if it is a string, else an empty one: `String` would throw for objects without a primitive value. */
export const stringOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A token of RFC 9110 §5.6.2, case-sensitive. */
const readMethod = (method: unknown): string => {
  if (typeof method === 'string' && /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(method)) return method;
  throw new AppError(REQUEST_INVALID, { reason: 'its method is missing or invalid' });
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches
const FORBIDDEN_IN_PATH = /[\u0000-\u001f\u007f\\]/;

/** A segment that is empty, `.` or `..`. */
const RELATIVE = /(?:^|\/)\.{0,2}(?:\/|$)/;

/**
 * Adds a leading slash to a path: `/orders/new` for `orders/new`, `/` for no path. A trailing slash is an empty last
 * segment, hence a 404.
 */
const readPath = (path: unknown): string => {
  if (path === undefined || path === null || path === '') return '/';
  const text = stringOrEmpty(path);
  if (RELATIVE.test(text) || FORBIDDEN_IN_PATH.test(text)) throw new AppError(NOT_FOUND, {});
  return `/${text}`;
};

/**
 * Headers with lower-case names; equal names are joined, as the gateway joins repeated ones. AWS moves cookies out of
 * the headers, the local gateway does not: the result has the cookie header in both cases.
 */
const readHeaders = (headers: unknown, cookies: unknown): Record<string, string> => {
  const given = toRecord(headers);
  const values = areNormal(given) ? given : normalise(given);
  if (!Array.isArray(cookies) || cookies.length === 0 || Object.hasOwn(values, 'cookie')) return values;
  return { ...values, cookie: cookies.map(stringOrEmpty).join('; ') };
};

/** Whether headers are as AWS sends them, so that they need no copy. */
const areNormal = (headers: Record<string, unknown>): headers is Record<string, string> =>
  Object.keys(headers).every((name) => typeof headers[name] === 'string' && name === name.toLowerCase());

const normalise = (headers: Record<string, unknown>): Record<string, string> => {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue;
    const before = values.get(name.toLowerCase());
    values.set(name.toLowerCase(), before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(values);
};

/** Node's decoder skips characters that are not base64, so the bytes are encoded again for comparison. */
const readBody = (body: unknown, isBase64: boolean): Uint8Array => {
  if (body === undefined || body === null) return new Uint8Array();
  if (typeof body !== 'string') throw new AppError(REQUEST_INVALID, { reason: 'its body must be a string' });
  const bytes = Buffer.from(body, isBase64 ? 'base64' : 'utf8');
  if (isBase64 && bytes.toString('base64') !== body) {
    throw new AppError(REQUEST_INVALID, { reason: 'its body is marked as base64 but is not valid base64' });
  }
  return bytes;
};

/** Checks the size of an event's body before it is decoded. @throws AppError `BODY_TOO_LARGE` */
export const limitBody = (event: unknown, limitBytes: number): void => {
  const { body, isBase64Encoded } = toRecord(event);
  if (typeof body !== 'string') return;
  if (Buffer.byteLength(body, isBase64Encoded === true ? 'base64' : 'utf8') > limitBytes)
    throw new AppError(BODY_TOO_LARGE, { limitBytes });
};
