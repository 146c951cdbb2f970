import type { BlobStreams } from '../../executions/files/blob-streams.ts';
import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallAws } from '../aws/aws-caller.ts';
import { type AskS3, createAskS3 } from './ask-s3.ts';
import { type MultipartUpload, startMultipartUpload } from './multipart-upload.ts';
import { LIFE_TAG } from './tag-life.chunk.ts';
import { toParts } from './to-parts.ts';

/** S3 requires at least 5 MB per part and allows 10,000 parts. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * Blobs of any size as objects in a bucket. They are read and written in parts, each by a request with its own retries,
 * so that no connection stays open at the pace of a slow reader or writer. Content that fits into one part is written
 * with one PUT, larger content with a multipart upload; either way the object appears all at once.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
 * @param call - bound to the host of the bucket
 */
export const createS3BlobStreams = (call: CallAws, partBytes = PART_BYTES): BlobStreams => {
  const ask = createAskS3(call);
  return {
    putStream: (key, content, life = null) =>
      putParts(ask, `/${key}`, toParts(content, partBytes), {
        partBytes,
        headers: life === null ? {} : { 'x-amz-tagging': `${LIFE_TAG}=${life}` },
      }),
    getStream: async (key) => {
      const path = `/${key}`;
      const first = await ask({ method: 'GET', path, headers: toRange(0, partBytes) }, [404, 416]);
      if (first.status === 404) return null;
      const isEmpty = first.status === 416; // no range of an empty object can be satisfied
      const { 'content-range': range, etag = '*' } = first.headers;
      const size = Number(/\/(\d+)$/.exec(range ?? '')?.[1] ?? first.body.length);
      return readParts(isEmpty ? Buffer.alloc(0) : first.body, isEmpty ? 0 : size, (at) =>
        // Reads one version of the object, even if it is replaced in the meantime.
        ask({ method: 'GET', path, headers: { ...toRange(at, partBytes), 'if-match': etag } }),
      );
    },
  };
};

const putParts = async (
  ask: AskS3,
  path: string,
  parts: AsyncIterable<Uint8Array>,
  { partBytes, headers }: { readonly partBytes: number; readonly headers: Readonly<Record<string, string>> },
): Promise<void> => {
  let upload: MultipartUpload | null = null;
  try {
    for await (const part of parts) {
      if (upload === null && part.byteLength < partBytes) {
        const type = { 'content-type': 'application/octet-stream' };
        await ask({ method: 'PUT', path, headers: { ...type, ...headers }, body: part });
        return;
      }
      upload ??= await startMultipartUpload(ask, path, headers);
      await upload.add(part);
    }
    await upload?.complete();
  } catch (error) {
    await upload?.abort();
    throw error;
  }
};

const toRange = (at: number, bytes: number) => ({ range: `bytes=${at}-${at + bytes - 1}` });

const readParts = async function* (
  first: Uint8Array,
  size: number,
  get: (at: number) => Promise<{ readonly body: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  let part = first;
  for (let at = 0; ; ) {
    yield part;
    at += part.byteLength;
    if (at >= size) return;
    part = (await get(at)).body;
    if (part.byteLength === 0) throw new AppError(STORE_UNAVAILABLE, {}, new Error('an empty part'));
  }
};
