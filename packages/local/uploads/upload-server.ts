import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { splitTarget } from 'lambda-stage/gateway';
import { type InternalServer, startInternalServer } from 'lambda-stage/net';
import { createFolderBlobStreams, findBlobSize } from '../../../lib/adapters/blobs/folder-blobs.ts';
import { presign } from '../../../lib/adapters/blobs/presign.ts';

interface UploadServerOptions {
  readonly folder: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly now?: () => number;
}

/** Status and error code, as in S3. */
type Reply = readonly [status: number, code: string];

/** The part of S3 that callers use directly: accepts presigned PUTs, by the same rules, into a folder of blobs. */
export const startUploadServer = (options: UploadServerOptions): Promise<InternalServer> =>
  startInternalServer(
    createServer((request, response) => {
      put(request, options)
        .catch((): Reply => [500, 'InternalError'])
        .then(([status, code]) => {
          request.resume(); // drops the rest; otherwise the caller would not see the response
          const body = code === '' ? '' : `<Error><Code>${code}</Code></Error>`;
          response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
        });
    }),
  );

const put = async (
  request: IncomingMessage,
  { folder, region, credentials, now = Date.now }: UploadServerOptions,
): Promise<Reply> => {
  const { method = '', url = '', headers } = request;
  if (method !== 'PUT') return [405, 'MethodNotAllowed'];
  const refusal = checkPresigned({ method, url, headers }, { region, credentials, now: now() });
  if (refusal !== null) return refusal;
  const key = new URL(url, 'http://local').pathname.slice(1);
  if ((await findBlobSize(folder, key)) !== null) return [412, 'PreconditionFailed'];
  const expected = headers['x-amz-checksum-sha256'];
  const hash = createHash('sha256');
  const checked = async function* () {
    for await (const chunk of request) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('base64') !== expected) throw new BadDigest();
  };
  try {
    await createFolderBlobStreams(folder).putStream(key, checked());
  } catch (error) {
    if (error instanceof Error && error.cause instanceof BadDigest) return [400, 'BadDigest'];
    throw error;
  }
  return [200, ''];
};

class BadDigest extends Error {}

interface ReceivedRequest {
  readonly method: string;
  /** The request target: path and query, percent-encoded. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

interface Signer {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The current time in milliseconds since the epoch. */
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

const refusalOf = <Code extends keyof typeof refusals>(code: Code) => [refusals[code], code] as const;

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_SECONDS = 7 * 24 * 3_600;

/**
 * Checks a presigned request as S3 does: first its stated parameters, then its signature. Signs the received request again,
 * so that a different method, key, parameter or signed header results in a different signature.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 *
 * @returns null for a valid request
 * @internal
 */
export const checkPresigned = (
  { method, url, headers }: ReceivedRequest,
  { region, credentials, now }: Signer,
): Refusal | null => {
  const { path, query } = splitTarget(url);
  const sent = [...new URLSearchParams(query)];
  const { 'X-Amz-Algorithm': algorithm, ...parameters } = Object.fromEntries(sent);
  if (algorithm === undefined) return refusalOf('AccessDenied');
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
  if (!isWellFormed || signedAt === null) return refusalOf('AuthorizationQueryParametersError');
  if (accessKeyId !== credentials.accessKeyId) return refusalOf('InvalidAccessKeyId');
  if (!(now < signedAt + seconds * 1_000)) return refusalOf('AccessDenied');

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
  return isSame ? null : refusalOf('SignatureDoesNotMatch');
};

/** Converts a date like `20130524T000000Z` to milliseconds since the epoch. */
const readDate = (text: string | null): number | null => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '') ?? [];
  const [year = '', month, day, hours, minutes, seconds] = parts;
  return year === '' ? null : Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
};
