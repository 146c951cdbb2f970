import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A call to sign. */
export interface UnsignedCall {
  readonly method: string;
  readonly host: string;
  /** Percent-encoded, with its query, and without segments `.` and `..`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/**
 * Signs the calls to one service of AWS (SigV4). The key, which is the same for a day, is kept: deriving it for each call, and
 * from bytes, would take most of the time of a signature.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 *
 * @returns a function that returns the headers to send; `now` is in milliseconds since the epoch
 */
export const createSigner = (service: string, region: string) => {
  let kept: { readonly of: string; readonly day: string; readonly key: KeyObject } | null = null;
  const keyOf = (secret: string, day: string): KeyObject => {
    if (kept === null || kept.day !== day || kept.of !== secret)
      kept = { of: secret, day, key: deriveKey(secret, [day, region, service, 'aws4_request']) };
    return kept.key;
  };
  const isS3 = service === 's3';
  return (
    { method, host, path, headers, body = '' }: UnsignedCall,
    { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
    now: number,
  ): Record<string, string> => {
    const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
    const bodyHash = hash('sha256', body);
    const sent: Record<string, string> = { ...headers, host, 'x-amz-date': time };
    if (sessionToken !== undefined) sent['x-amz-security-token'] = sessionToken;
    if (isS3) sent['x-amz-content-sha256'] = bodyHash;
    const names = Object.keys(sent).sort();
    const signedHeaders = names.join(';');
    let canonical = `${method}\n${toCanonicalPath(path, isS3)}\n`;
    for (const name of names) canonical += `${name}:${sent[name]?.trim().replace(/\s+/g, ' ')}\n`;
    canonical += `\n${signedHeaders}\n${bodyHash}`;
    const signature = createHmac('sha256', keyOf(secretAccessKey, time.slice(0, 8)))
      .update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical)}`)
      .digest('hex');
    sent.authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
    return sent;
  };
};

const deriveKey = (secret: string, scope: readonly string[]): KeyObject =>
  createSecretKey(
    scope.reduce(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      Buffer.from(`AWS4${secret}`),
    ),
  );

/** The lines of path and query. All services but S3 encode the path a second time. */
const toCanonicalPath = (path: string, isS3: boolean): string => {
  if (path === '/') return '/\n';
  const [segments = '', query = ''] = path.split('?', 2);
  const parts = (isS3 ? decodeURIComponent(segments) : segments.replace(/\/{2,}/g, '/')).split('/');
  const pairs = [...new URLSearchParams(query)].map((pair) => pair.map(encodePart));
  pairs.sort(([a = '', x = ''], [b = '', y = '']) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  return `${parts.map(encodePart).join('/')}\n${pairs.map((pair) => pair.join('=')).join('&')}`;
};

/** Encodes all but the unreserved characters of RFC 3986. */
const encodePart = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
