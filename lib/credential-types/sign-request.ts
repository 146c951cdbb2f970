import aws4 from 'aws4';
import type { AwsKeys } from '../contract/credential-type.ts';
import type { OutboundRequest } from '../contract/services.ts';

interface Scope {
  /** From the host when absent. */
  readonly region?: string | undefined;
  readonly service?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Set by the HTTP client itself, to the values that were signed. */
const SET_BY_CLIENT = new Set(['host', 'content-length']);

/**
 * Signs a request to AWS (SigV4).
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
 */
export const signRequest = (
  request: OutboundRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsKeys,
  { region, service, now }: Scope,
): OutboundRequest => {
  const url = new URL(request.url);
  const others = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const signed = aws4.sign(
    {
      host: url.host,
      method: request.method.toUpperCase(),
      path: `${url.pathname}${url.search}`,
      headers: { ...Object.fromEntries(others), 'x-amz-date': toAmzDate(now) },
      ...(request.body === null ? {} : { body: toSignable(request.body) }),
      ...(region === undefined ? {} : { region }),
      ...(service === undefined ? {} : { service }),
    },
    { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  );
  const headers = Object.entries(signed.headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
    .filter(([name]) => !SET_BY_CLIENT.has(name));
  return {
    ...request,
    url: `${url.origin}${signed.path ?? url.pathname}`,
    headers: Object.fromEntries(headers),
  };
};

const toSignable = (body: string | Uint8Array): string | Buffer =>
  typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);

/** `20261120T120000Z` */
const toAmzDate = (now: number): string => new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');
