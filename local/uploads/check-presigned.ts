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

/** The codes of S3, each with status 403. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
type Refusal = 'AccessDenied' | 'SignatureDoesNotMatch';

/**
 * Checks a presigned request as S3 does: it is signed again as it was received, so that another method, key, or signed header is
 * another signature.
 *
 * @returns null for a request that is in order
 */
export const checkPresigned = (
  { method, url, headers }: ReceivedRequest,
  { region, credentials, now }: Signer,
): Refusal | null => {
  const { path, query } = splitTarget(url);
  const parameters = new URLSearchParams(query);
  const [signedAt, seconds] = [
    readDate(parameters.get('X-Amz-Date')),
    Number(parameters.get('X-Amz-Expires')),
  ];
  if (signedAt === null || !(now < signedAt + seconds * 1_000)) return 'AccessDenied';
  const names = (parameters.get('X-Amz-SignedHeaders') ?? '').split(';').filter((name) => name !== 'host');
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
  const expected = new URL(signed).searchParams.get('X-Amz-Signature');
  return parameters.get('X-Amz-Signature') === expected ? null : 'SignatureDoesNotMatch';
};

/** `20130524T000000Z` in milliseconds since the epoch. */
const readDate = (text: string | null): number | null => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '') ?? [];
  const [year = '', month, day, hours, minutes, seconds] = parts;
  return year === '' ? null : Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
};
