import type { BlobStreams } from '../../executions/record/blob-store.ts';
import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { AwsAnswer, CallAws } from '../aws/aws-caller.ts';
import { toCause } from '../aws/aws-error.ts';
import { type AskS3, createAskS3 } from './ask-s3.ts';
import { LIFE_TAG } from './tag-life.chunk.ts';

/** S3 requires at least 5 MB per part and allows 10,000 parts. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * Blobs of any size as objects in a bucket. They are read and written in parts, each by a request with its own retries,
 * so that no connection stays open at the pace of a slow reader or writer. Content that fits into one part is written
 * with one PUT, larger content with a multipart upload; either way the object appears all at once.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
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
  let upload: Awaited<ReturnType<typeof startMultipartUpload>> | null = null;
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

/**
 * Starts a multipart upload. https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html
 * @param path - path of the object
 * @param headers - headers of the object
 * @throws AppError `STORE_UNAVAILABLE`; so do all methods except `abort`, since the bucket also deletes the parts of
 *   unfinished uploads
 */
const startMultipartUpload = async (ask: AskS3, path: string, headers: Readonly<Record<string, string>>) => {
  const started = await ask({ method: 'POST', path: `${path}?uploads=`, headers });
  const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(started.body.toString()) ?? [];
  if (uploadId === undefined) throw unexpectedAnswer(started);
  const query = `uploadId=${encodeURIComponent(uploadId)}`;
  const etags: string[] = [];
  return {
    /** Uploads the next part: 5 MB or more, unless it is the last one. */
    add: async (body: Uint8Array) => {
      const headers = { 'content-type': 'application/octet-stream' };
      const partPath = `${path}?partNumber=${etags.length + 1}&${query}`;
      const answer = await ask({ method: 'PUT', path: partPath, headers, body });
      const { etag } = answer.headers;
      if (etag === undefined) throw unexpectedAnswer(answer);
      etags.push(etag);
    },
    /** Makes the object visible. */
    complete: async () => {
      const headers = { 'content-type': 'application/xml' };
      const answer = await ask({ method: 'POST', path: `${path}?${query}`, headers, body: toXml(etags) });
      // S3 answers 200 before it is done, and an error may follow in the body.
      if (!answer.body.includes('<CompleteMultipartUploadResult')) throw unexpectedAnswer(answer);
    },
    abort: async () => {
      await ask({ method: 'DELETE', path: `${path}?${query}` }).catch(() => {});
    },
  };
};

const toXml = (etags: readonly string[]): string => {
  const parts = etags.map(
    (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
};

const unexpectedAnswer = (answer: AwsAnswer): AppError =>
  new AppError(STORE_UNAVAILABLE, {}, toCause(answer));

/**
 * Cuts content into parts of one size. The last one may be smaller, and is empty for empty content. At most two parts
 * are in memory: the pieces of one, and the part made by joining them.
 */
const toParts = async function* (
  content: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let count = 0;
  const join = (): Uint8Array => {
    const part = Buffer.concat(pieces, size);
    pieces = [];
    size = 0;
    count += 1;
    return part;
  };
  for await (const chunk of content) {
    for (let rest = chunk; rest.byteLength > 0; ) {
      const piece = rest.subarray(0, partBytes - size);
      pieces.push(piece);
      size += piece.byteLength;
      rest = rest.subarray(piece.byteLength);
      if (size === partBytes) yield join();
    }
  }
  if (size > 0 || count === 0) yield join();
};
