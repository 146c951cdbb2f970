import { isUtf8 } from 'node:buffer';
import type { RouteMatch } from './routes.ts';

export interface RawRequest {
  readonly method: string;
  /** The request target: path and query, percent-encoded. */
  readonly url: string;
  /** HTTP version of the request, such as `1.1`. */
  readonly httpVersion: string;
  /** Alternating names and values, as in `node:http`. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  readonly remoteAddress: string;
  readonly port: number;
}

/** What the gateway adds to a request. */
interface Receipt {
  readonly requestId: string;
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Converts a request to an HTTP API's event, payload format 2.0. Empty fields are left out where AWS does so.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export const toEvent = (
  request: RawRequest,
  { routeKey, pathParameters }: Pick<RouteMatch, 'routeKey' | 'pathParameters'>,
  receipt: Receipt,
) => {
  const { path, query } = splitTarget(request.url);
  const { headers, cookies } = readHeaders(request);
  const rawPath = cutAtQuestionMark(decodeURIComponent(path));
  const host = headers.host ?? 'localhost';
  const domainName = host.replace(/:\d+$/, '');
  const parameters = joinQuery(query);
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: query,
    ...(cookies.length === 0 ? {} : { cookies }),
    headers,
    ...(parameters === null ? {} : { queryStringParameters: parameters }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName,
      domainPrefix: domainName.split('.')[0],
      http: {
        method: request.method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.remoteAddress,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: receipt.requestId,
      routeKey,
      stage: '$default',
      time: formatTime(receipt.now),
      timeEpoch: receipt.now,
    },
    ...(Object.keys(pathParameters).length === 0 ? {} : { pathParameters }),
    ...toEventBody(request.body, headers['content-type']),
  };
};

/** The path and the query of `/a/b?c=d`, percent-encoded. */
export const splitTarget = (url: string): { readonly path: string; readonly query: string } => {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
};

/** Ends a decoded path at a `?`, as an HTTP API does. */
const cutAtQuestionMark = (path: string): string => path.split('?')[0] ?? '';

/** Hop-by-hop headers (RFC 9110 §7.6.1), which the gateway does not forward. */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-authenticate proxy-connection te trailer transfer-encoding upgrade expect'.split(
    ' ',
  ),
);

/**
 * Reads the headers with lower-case names, repeated values joined by a comma, cookies apart; with the gateway's own
 * headers.
 */
const readHeaders = ({ rawHeaders, remoteAddress, port, body }: RawRequest) => {
  const values = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const value = rawHeaders[at + 1] ?? '';
    if (!HOP_BY_HOP.has(name)) values.set(name, [...(values.get(name) ?? []), value]);
  }
  const cookies = (values.get('cookie') ?? []).flatMap((header) =>
    header
      .split(';')
      .map((cookie) => cookie.trim())
      .filter((cookie) => cookie !== ''),
  );
  values.delete('cookie');
  if (body.length > 0) values.set('content-length', [String(body.length)]);
  values.set('x-forwarded-for', [[...(values.get('x-forwarded-for') ?? []), remoteAddress].join(', ')]);
  values.set('x-forwarded-port', [String(port)]);
  values.set('x-forwarded-proto', ['http']);
  const headers: Record<string, string> = Object.fromEntries(
    [...values].map(([name, all]) => [name, all.join(',')]),
  );
  return { headers, cookies };
};

/** Decoded, repeated values joined by a comma; null without a query. */
const joinQuery = (query: string): Record<string, string> | null => {
  if (query === '') return null;
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(values);
};

/**
 * Media types whose bodies an HTTP API passes as text. AWS does not document them; they were found by experiment:
 * https://github.com/ministackorg/ministack/pull/766. They exclude forms, `…+json` and bodies without a type.
 */
const TEXT_TYPES = new Set(['application/json', 'application/xml', 'application/javascript']);

const isTextType = (contentType: string | undefined): boolean => {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return type.startsWith('text/') || TEXT_TYPES.has(type);
};

/** Converts a body to text only if it is valid UTF-8: other bytes would be corrupted. */
const toEventBody = (bytes: Uint8Array, contentType: string | undefined) => {
  if (bytes.length === 0) return { isBase64Encoded: false };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (isTextType(contentType) && isUtf8(buffer)) return { body: buffer.toString(), isBase64Encoded: false };
  return { body: buffer.toString('base64'), isBase64Encoded: true };
};

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Formats a time in API Gateway's Common Log Format, as in `10/Jul/2026:19:19:05 +0000`. */
const formatTime = (now: number): string => {
  const iso = new Date(now).toISOString();
  const [year, month, day] = iso.slice(0, 10).split('-');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${iso.slice(11, 19)} +0000`;
};
