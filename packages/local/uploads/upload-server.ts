import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { type InternalServer, startInternalServer } from 'lambda-stage/net';
import { createFolderBlobStreams, findBlobSize } from '../../../lib/adapters/blobs/folder-blobs.ts';

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
      putUpload(request, options)
        .catch((): Reply => [500, 'InternalError'])
        .then(([status, code]) => {
          request.resume(); // drops the rest; otherwise the caller would not see the response
          const body = code === '' ? '' : `<Error><Code>${code}</Code></Error>`;
          response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
        });
    }),
  );

const putUpload = async (request: IncomingMessage, options: UploadServerOptions): Promise<Reply> => {
  const { method, url = '', headers } = request;
  const { folder } = options;
  if (method !== 'PUT') return [405, 'MethodNotAllowed'];
  const refusal = await checkPresigned(request, options);
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

const MALFORMED: Reply = [400, 'AuthorizationQueryParametersError'];

/** S3's answers to what is wrong with a signature. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const REFUSALS: Readonly<Record<string, Reply>> = {
  malformed: MALFORMED,
  otherScope: MALFORMED,
  unknownKey: [403, 'InvalidAccessKeyId'],
  mismatch: [403, 'SignatureDoesNotMatch'],
};

/** @returns null for a request that is presigned with the keys of this server, and not too late */
const checkPresigned = async (
  { method = '', url = '', headers }: IncomingMessage,
  { region, credentials, now = Date.now }: UploadServerOptions,
): Promise<Reply | null> => {
  const denied: Reply = [403, 'AccessDenied'];
  if (!new URL(url, 'http://local').searchParams.has('X-Amz-Algorithm')) return denied;
  const { verifySignature } = await import('lambda-stage/signature'); // few services get an upload
  const { problem } = await verifySignature(
    { method, url, headers, body: new Uint8Array() },
    {
      service: 's3',
      region,
      now: now(),
      findKeys: (accessKeyId) =>
        accessKeyId === credentials.accessKeyId
          ? { ...credentials, owner: null, sessionToken: undefined, expiresAt: undefined }
          : null,
    },
  );
  return problem === null ? null : (REFUSALS[problem] ?? denied);
};
