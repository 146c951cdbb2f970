import { createHash, createHmac, type Hash, type Hmac, timingSafeEqual } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, as received. */
  readonly url: string;
  /** Headers of the request, with lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

interface KnownKeys {
  readonly secretAccessKey: string;
  /** The session token; undefined for keys that are not temporary. */
  readonly sessionToken: string | undefined;
  /** When the keys expire, in milliseconds since the epoch; undefined for keys that are not temporary. */
  readonly expiresAt: number | undefined;
}

/** What a signature must be valid for, and the known keys. */
interface Verifier<Owner> {
  /** The service as named in a signature's scope: `dynamodb`, `s3`, `execute-api`. */
  readonly service: string;
  readonly region: string;
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
  readonly findKeys: (accessKeyId: string) => (KnownKeys & { readonly owner: Owner }) | null;
}

export type SignatureProblem =
  | 'notSigned'
  | 'malformed'
  | 'otherScope'
  | 'unknownKey'
  | 'otherToken'
  | 'expiredToken'
  | 'otherTime'
  | 'expiredUrl'
  | 'unsignedHeader'
  | 'mismatch'
  | 'otherBody';

type Verified<Owner> =
  | { readonly owner: Owner; readonly accessKeyId: string; readonly problem: null }
  | { readonly owner: null; readonly problem: SignatureProblem; readonly message: string };

const ALGORITHM = 'AWS4-HMAC-SHA256';
const UNSIGNED = 'UNSIGNED-PAYLOAD';
/** A chunked body with a checksum trailer and no chunk signatures. */
const UNSIGNED_CHUNKS = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';

const MINUTE = 60_000;
/** How far a signature's time may differ from the service's; S3 allows more. */
const SKEW = { s3: 15 * MINUTE, others: 5 * MINUTE } as const;
const MAX_URL_SECONDS = 7 * 24 * 3_600;

/** What a request states about its signature, in its headers or query. */
interface Claim {
  readonly isQuery: boolean;
  readonly accessKeyId: string;
  readonly date: string;
  readonly scope: readonly string[];
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly sessionToken: string | undefined;
  readonly signedAt: number;
  /** The lifetime of a presigned URL. */
  readonly seconds: number;
}

class Problem extends Error {
  readonly problem: SignatureProblem;
  constructor(problem: SignatureProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/**
 * Verifies a signature (SigV4) in the headers or the query of a request as AWS does: signs the received request again with
 * the SDK's signer. The product signs with `aws4`, so a mistake in either one is noticed.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export const verifySignature = async <Owner>(
  request: ReceivedRequest,
  verifier: Verifier<Owner>,
): Promise<Verified<Owner>> => {
  try {
    const claim = readClaim(request);
    const { owner, ...keys } = findOwner(claim, verifier);
    checkTime(claim, verifier);
    checkSignedHeaders(request, claim);
    const payload = checkPayload(request, claim, verifier.service);
    const expected = await signReceived(request, claim, keys, payload, verifier);
    if (!isSameSignature(expected, claim.signature))
      throw new Problem(
        'mismatch',
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
      );
    return { owner, accessKeyId: claim.accessKeyId, problem: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { owner: null, problem: error.problem, message: error.message };
  }
};

const malformedRequest = (message: string) => new Problem('malformed', message);

const readClaim = (request: ReceivedRequest): Claim => {
  const authorization = headerOf(request, 'authorization');
  const query = readQuery(request.url);
  const inQuery = query.some(([name]) => name === 'X-Amz-Signature' || name === 'X-Amz-Algorithm');
  if (authorization !== undefined && inQuery)
    throw malformedRequest('A request can only be signed in one way.');
  if (authorization !== undefined) return readHeaders(request, authorization);
  if (inQuery) return readParameters(query);
  throw new Problem('notSigned', 'Missing Authentication Token');
};

const readHeaders = (request: ReceivedRequest, authorization: string): Claim => {
  const [algorithm, ...words] = authorization.split(' ');
  const rest = words.join(' ').trimStart();
  if (algorithm !== ALGORITHM) throw malformedRequest(`The Authorization header does not use ${ALGORITHM}.`);
  const fields = new Map(
    rest.split(',').map((field) => {
      const at = field.indexOf('=');
      return [field.slice(0, at).trim(), field.slice(at + 1).trim()] as const;
    }),
  );
  return toClaim({
    isQuery: false,
    credential: fields.get('Credential'),
    signedHeaders: fields.get('SignedHeaders'),
    signature: fields.get('Signature'),
    date: headerOf(request, 'x-amz-date'),
    sessionToken: headerOf(request, 'x-amz-security-token'),
    expires: '0',
  });
};

const readParameters = (query: readonly (readonly [string, string])[]): Claim => {
  const names = query.map(([name]) => name);
  if (new Set(names).size < names.length) throw malformedRequest('A query parameter is repeated.');
  const parameters = new Map(query);
  if (parameters.get('X-Amz-Algorithm') !== ALGORITHM)
    throw malformedRequest(`X-Amz-Algorithm is not ${ALGORITHM}.`);
  return toClaim({
    isQuery: true,
    credential: parameters.get('X-Amz-Credential'),
    signedHeaders: parameters.get('X-Amz-SignedHeaders'),
    signature: parameters.get('X-Amz-Signature'),
    date: parameters.get('X-Amz-Date'),
    sessionToken: parameters.get('X-Amz-Security-Token'),
    expires: parameters.get('X-Amz-Expires'),
  });
};

interface RawClaim {
  readonly isQuery: boolean;
  readonly credential: string | undefined;
  readonly signedHeaders: string | undefined;
  readonly signature: string | undefined;
  readonly date: string | undefined;
  readonly sessionToken: string | undefined;
  readonly expires: string | undefined;
}

const toClaim = ({
  credential = '',
  signedHeaders = '',
  signature = '',
  date = '',
  expires = '',
  ...rest
}: RawClaim): Claim => {
  const [accessKeyId = '', ...scope] = credential.split('/');
  const names = signedHeaders.split(';');
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const seconds = /^\d{1,6}$/.test(expires) ? Number(expires) : Number.NaN;
  if (accessKeyId === '' || scope.length !== 4)
    throw malformedRequest('The credential does not have the form KEY/DATE/REGION/SERVICE/aws4_request.');
  if (!/^[0-9a-f]{64}$/.test(signature))
    throw malformedRequest('The signature is not 64 hexadecimal digits.');
  if (Number.isNaN(signedAt)) throw malformedRequest('The date of the request is not in ISO 8601 format.');
  if (!(seconds <= MAX_URL_SECONDS)) throw malformedRequest('X-Amz-Expires must be at most a week.');
  if (!names.includes('host')) throw malformedRequest('The host is not signed.');
  if (
    names.join() !==
    names
      .map((name) => name.toLowerCase())
      .sort()
      .join()
  )
    throw malformedRequest('The signed headers are not sorted by name.');
  return { ...rest, accessKeyId, scope, signedHeaders: names, signature, date, signedAt, seconds };
};

const findOwner = <Owner>(
  { accessKeyId, scope, date, sessionToken }: Claim,
  { service, region, now, findKeys }: Verifier<Owner>,
) => {
  const expected = [date.slice(0, 8), region, service, 'aws4_request'];
  if (scope.join() !== expected.join())
    throw new Problem(
      'otherScope',
      `Credential should be scoped to ${expected.join('/')}, not to ${scope.join('/')}.`,
    );
  const keys = findKeys(accessKeyId);
  if (keys === null)
    throw new Problem('unknownKey', 'The AWS Access Key Id you provided does not exist in our records.');
  if (!isSameSignature(keys.sessionToken ?? '', sessionToken ?? ''))
    throw new Problem('otherToken', 'The security token included in the request is invalid.');
  if (keys.expiresAt !== undefined && now >= keys.expiresAt)
    throw new Problem('expiredToken', 'The security token included in the request is expired');
  return keys;
};

const checkTime = (
  { isQuery, signedAt, seconds, date }: Claim,
  { service, now }: Pick<Verifier<unknown>, 'service' | 'now'>,
): void => {
  const skew = service === 's3' ? SKEW.s3 : SKEW.others;
  const current = new Date(now).toISOString();
  if (isQuery) {
    if (now >= signedAt + seconds * 1_000) throw new Problem('expiredUrl', 'Request has expired');
    if (signedAt > now + skew)
      throw new Problem('otherTime', `Request is not valid yet: ${date} is after ${current}`);
    return;
  }
  if (Math.abs(now - signedAt) > skew)
    throw new Problem(
      'otherTime',
      `Signature expired or not yet current: ${date} differs too much from ${current}`,
    );
};

/** AWS requires its own headers to be signed: a proxy could have added unsigned ones. */
const checkSignedHeaders = ({ headers }: ReceivedRequest, { signedHeaders }: Claim): void => {
  const own = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  const [unsigned] = own.filter((name) => !signedHeaders.includes(name));
  if (unsigned !== undefined)
    throw new Problem(
      'unsignedHeader',
      `There were headers present in the request which were not signed: ${unsigned}`,
    );
};

/** The hash at the end of the canonical request. Only S3 accepts unsigned bodies. */
const checkPayload = (request: ReceivedRequest, { isQuery }: Claim, service: string): string => {
  const hash = createHash('sha256').update(request.body).digest('hex');
  const inQuery = new Map(readQuery(request.url)).get('X-Amz-Content-Sha256');
  const stated = headerOf(request, 'x-amz-content-sha256') ?? inQuery;
  if (service !== 's3') {
    if (stated === undefined || stated === hash) return hash;
    throw new Problem('otherBody', 'The hash of the body differs from x-amz-content-sha256.');
  }
  if (stated === undefined && isQuery) return UNSIGNED;
  if (stated === UNSIGNED || stated === UNSIGNED_CHUNKS) return stated;
  if (stated === undefined) throw malformedRequest('x-amz-content-sha256 is missing.');
  if (!/^[0-9a-f]{64}$/.test(stated)) throw malformedRequest(`x-amz-content-sha256 cannot be ${stated}.`);
  if (stated !== hash)
    throw new Problem(
      'otherBody',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  return stated;
};

/** Headers that the signer sets itself; they are signed if the request names them. */
const SET_BY_SIGNER = ['x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'];

const signReceived = async (
  request: ReceivedRequest,
  { signedHeaders, signedAt, accessKeyId }: Claim,
  { secretAccessKey, sessionToken }: KnownKeys,
  payload: string,
  { service, region }: Pick<Verifier<unknown>, 'service' | 'region'>,
): Promise<string> => {
  const signer = new SignatureV4({
    service,
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    sha256: Sha256,
    uriEscapePath: service !== 's3',
    applyChecksum: false,
  });
  const named = new Set(signedHeaders);
  const headers = Object.fromEntries(signedHeaders.map((name) => [name, headerOf(request, name) ?? '']));
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: 'https:',
      hostname: headers.host ?? '',
      path: toSignedPath(request.url, service),
      query: toQueryBag(readQuery(request.url).filter(([name]) => name !== 'X-Amz-Signature')),
      headers: { ...headers, 'x-amz-content-sha256': payload },
    },
    {
      signingDate: new Date(signedAt),
      signableHeaders: named,
      unsignableHeaders: new Set(SET_BY_SIGNER.filter((name) => !named.has(name))),
    },
  );
  return /Signature=([0-9a-f]+)$/.exec(signed.headers.authorization ?? '')?.[1] ?? '';
};

/** S3 encodes each key once, no matter how it was sent. */
const toSignedPath = (url: string, service: string): string => {
  const [path = ''] = url.split('?', 1);
  return service === 's3'
    ? path
        .split('/')
        .map((part) => encodeRfc3986(decodePercent(part)))
        .join('/')
    : path;
};

const encodeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformedRequest('The URL is not valid percent-encoding.');
  }
};

/** The parameters in query order. A plus is a literal plus. */
const readQuery = (url: string): (readonly [string, string])[] => {
  const at = url.indexOf('?');
  if (at < 0 || at === url.length - 1) return [];
  return url
    .slice(at + 1)
    .split('&')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodePercent(name), decodePercent(value.join('='))] as const;
    });
};

const toQueryBag = (query: readonly (readonly [string, string])[]): Record<string, string | string[]> => {
  const bag = new Map<string, string[]>();
  for (const [name, value] of query) bag.set(name, [...(bag.get(name) ?? []), value]);
  return Object.fromEntries(bag);
};

const headerOf = ({ headers }: ReceivedRequest, name: string): string | undefined => {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' ? value : value?.join(',');
};

/** Compares hashes, in constant time. */
const isSameSignature = (one: string, other: string): boolean => {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
};

/** Node's hashes in the interface that the signer expects. */
class Sha256 {
  #hash: Hash | Hmac;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key = typeof secret === 'string' || secret === undefined ? secret : toBuffer(secret);
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', key);
  }
  update(data: Uint8Array): void {
    this.#hash.update(data);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {}
}

const toBuffer = (data: ArrayBuffer | ArrayBufferView): Buffer =>
  ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
