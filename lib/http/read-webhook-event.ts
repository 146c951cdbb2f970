import { AppError } from '../shared/errors.ts';

/**
 * Reads an event of an API Gateway HTTP API (payload format 2.0), as AWS sends it and as serverless-offline does.
 * What it gives is the `WebhookRequest` of lib/webhooks. Whatever is missing or odd is a refusal, never a throw
 * of another kind.
 *
 * The path comes from `pathParameters`, which the gateway has decoded exactly once. It is not decoded again and
 * never passed through `URL`, which resolves `%2e%2e`. `rawPath` is for `requestPath` only: AWS hands it over
 * decoded, and cut at a decoded `?`; serverless-offline encoded.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 *
 * @param now milliseconds since the epoch, for an event that doesn't say when it was received
 * @throws AppError `REQUEST_INVALID` | `NOT_FOUND`
 */
export const readWebhookEvent = (event: unknown, now: number) => {
  const { body, cookies, headers, isBase64Encoded, pathParameters, rawPath, rawQueryString, requestContext } =
    toRecord(event);
  const { http, requestId, timeEpoch } = toRecord(requestContext);
  const { method, sourceIp } = toRecord(http);
  const parameters = toRecord(pathParameters);
  return {
    method: readMethod(method),
    workflowId: toText(parameters.workflowId),
    path: readPath(parameters.path),
    requestPath: toText(rawPath),
    rawQueryString: toText(rawQueryString),
    headers: readHeaders(headers, cookies),
    rawBody: readBody(body, isBase64Encoded === true),
    remoteAddress: toText(sourceIp),
    receivedAt: isTime(timeEpoch) ? timeEpoch : now,
    requestId: toText(requestId),
  };
};

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Within what ECMAScript's dates can hold, so that it has an ISO form. */
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 8.64e15;

/** A token of RFC 9110 §5.6.2, in its own capitals. */
const readMethod = (method: unknown): string => {
  if (typeof method === 'string' && /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(method)) return method;
  throw new AppError('REQUEST_INVALID', { reason: 'it has no valid method' });
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN_IN_PATH = /[\u0000-\u001f\u007f\\]/;

/** `orders/new` -> `/orders/new`, nothing -> `/`. A trailing slash is an empty last segment, hence a 404. */
const readPath = (path: unknown): string => {
  if (path === undefined || path === null || path === '') return '/';
  const segments = toText(path).split('/');
  const isOdd = segments.some((segment) => segment === '' || segment === '.' || segment === '..');
  if (isOdd || FORBIDDEN_IN_PATH.test(toText(path))) throw new AppError('NOT_FOUND', {});
  return `/${segments.join('/')}`;
};

/**
 * Lower-case names. Names that differ in capitals only are joined, as the gateway joins repeated ones. AWS moves
 * cookies out of the headers, the local gateway leaves them there: a workflow sees the header in both cases.
 */
const readHeaders = (headers: unknown, cookies: unknown): Record<string, string> => {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(toRecord(headers))) {
    if (typeof value !== 'string') continue;
    const before = values.get(name.toLowerCase());
    values.set(name.toLowerCase(), before === undefined ? value : `${before},${value}`);
  }
  if (Array.isArray(cookies) && cookies.length > 0 && !values.has('cookie')) {
    values.set('cookie', cookies.map(toText).join('; '));
  }
  return Object.fromEntries(values);
};

/** Node's decoder skips what is not base64, so the text is checked by encoding the bytes again. */
const readBody = (body: unknown, isBase64: boolean): Uint8Array => {
  if (body === undefined || body === null) return new Uint8Array();
  if (typeof body !== 'string') throw new AppError('REQUEST_INVALID', { reason: 'its body is not a text' });
  const bytes = Buffer.from(body, isBase64 ? 'base64' : 'utf8');
  if (isBase64 && bytes.toString('base64') !== body) {
    throw new AppError('REQUEST_INVALID', { reason: 'its body is marked as base64 and is not' });
  }
  return bytes;
};
