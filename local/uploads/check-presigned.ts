import type { IncomingHttpHeaders } from 'node:http';
import { presign } from '../../lib/adapters/blobs/presign.ts';
import { splitTarget } from '../gateway/to-event.ts';

interface ReceivedRequest {
  readonly method: string;
  /** The request target: path and query, percent-encoded. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

interface Signer {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** S3's error codes, with their statuses. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const refusals = {
  AccessDenied: 403,
  AuthorizationQueryParametersError: 400,
  InvalidAccessKeyId: 403,
  SignatureDoesNotMatch: 403,
} as const;

type Refusal = {
  [Code in keyof typeof refusals]: readonly [(typeof refusals)[Code], Code];
}[keyof typeof refusals];

const refuse = <Code extends keyof typeof refusals>(code: Code) => [refusals[code], code] as const;

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_SECONDS = 7 * 24 * 3_600;

/**
 * Checks a presigned request as S3 does: first its stated parameters, then its signature. Signs the received request again,
 * so that a different method, key, parameter or signed header results in a different signature.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 *
 * @returns null for a valid request
 */
export const checkPresigned = (
  { method, url, headers }: ReceivedRequest,
  { region, credentials, now }: Signer,
): Refusal | null => {
  const { path, query } = splitTarget(url);
  const sent = [...new URLSearchParams(query)];
  const { 'X-Amz-Algorithm': algorithm, ...parameters } = Object.fromEntries(sent);
  if (algorithm === undefined) return refuse('AccessDenied');
  const {
    'X-Amz-Credential': credential = '',
    'X-Amz-Date': date = '',
    'X-Amz-Expires': expires = '',
    'X-Amz-SignedHeaders': signedHeaders = '',
    'X-Amz-Signature': signature = '',
  } = parameters;
  const signedAt = readDate(date);
  const seconds = /^\d{1,6}$/.test(expires) ? Number(expires) : Number.NaN;
  const [accessKeyId, ...scope] = credential.split('/');
  const isWellFormed =
    algorithm === ALGORITHM &&
    sent.length === Object.keys(parameters).length + 1 &&
    scope.join('/') === `${date.slice(0, 8)}/${region}/s3/aws4_request` &&
    seconds <= MAX_SECONDS &&
    signedHeaders !== '' &&
    signature !== '';
  if (!isWellFormed || signedAt === null) return refuse('AuthorizationQueryParametersError');
  if (accessKeyId !== credentials.accessKeyId) return refuse('InvalidAccessKeyId');
  if (!(now < signedAt + seconds * 1_000)) return refuse('AccessDenied');

  const names = signedHeaders.split(';').filter((name) => name !== 'host');
  const signed = presign(
    {
      method,
      region,
      origin: `http://${headers.host}`,
      key: path.slice(1),
      headers: Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')])),
      from: signedAt,
      seconds,
    },
    credentials,
  );
  const expected = new URL(signed).searchParams;
  const isSame = sent.length === expected.size && sent.every(([name, value]) => expected.get(name) === value);
  return isSame ? null : refuse('SignatureDoesNotMatch');
};

/** `20130524T000000Z` in milliseconds since the epoch. */
const readDate = (text: string | null): number | null => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '') ?? [];
  const [year = '', month, day, hours, minutes, seconds] = parts;
  return year === '' ? null : Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
};
