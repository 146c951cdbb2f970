import { createObjectStore, nameObjectOperation } from './object-store.ts';
import { escapeXml, type Reply, toXml } from './reply.ts';

/** A request to S3 that IAM allows. */
interface BucketRequest {
  readonly bucket: string;
  readonly method: string;
  /** Path of the object, with a leading slash, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** An in-memory S3 with the given buckets. */
export const createBuckets = (names: readonly string[]) => {
  const buckets = new Map(names.map((name) => [name, createObjectStore()]));
  return (request: BucketRequest): Reply => {
    const { bucket, method, query, headers, path } = request;
    const store = buckets.get(bucket);
    if (store === undefined)
      return toS3Error(method, 404, 'NoSuchBucket', 'The specified bucket does not exist');
    const isChunked = String(headers['content-encoding'] ?? '').includes('aws-chunked');
    const reply = store.operate({
      operation: nameObjectOperation(method, path, query),
      path: decodeURIComponent(path),
      query,
      headers,
      body: isChunked ? readChunks(request.body) : request.body,
    });
    if (reply === undefined)
      return toS3Error(
        method,
        501,
        'NotImplemented',
        `The stage does not support the S3 request ${method} ${path}?${query}`,
      );
    if (reply.code !== undefined) return toS3Error(method, reply.status, reply.code, reply.code);
    return { status: reply.status, headers: reply.headers ?? {}, body: reply.body ?? '' };
  };
};

/** Responses to HEAD have no body. */
export const toS3Error = (method: string, status: number, code: string, message: string): Reply =>
  method === 'HEAD'
    ? { status, headers: {}, body: '' }
    : toXml(
        status,
        `<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message><RequestId>stage</RequestId></Error>`,
      );

/** A chunked body with a trailing checksum, as the SDK sends a stream: `SIZE\r\nBYTES\r\n…0\r\nTRAILER`. */
const readChunks = (body: Buffer): Buffer => {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const size = end < 0 ? 0 : Number.parseInt(body.subarray(at, end).toString(), 16);
    if (!(size > 0)) return Buffer.concat(chunks);
    chunks.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
};
