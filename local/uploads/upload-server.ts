import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { createFolderBlobStreams, findBlobSize } from '../../lib/adapters/blobs/folder-blobs.ts';
import { type InternalServer, startInternalServer } from '../net/listen.ts';
import { checkPresigned } from './check-presigned.ts';

interface UploadServerOptions {
  /** The folder of blobs. */
  readonly folder: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly now?: () => number;
}

/** Status and code, as in S3. */
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
