import { createHash } from 'node:crypto';
import { escapeXml, type Reply, toXml } from './reply.ts';

export interface ObjectRequest {
  readonly operation: string;
  /** The path with its leading slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Headers of the request, with lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface ObjectReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** S3's error code; absent on success. */
  readonly code?: string;
  readonly body?: string | Uint8Array;
}

/** The object operation of a request: `PUT part`, `POST uploads`, `POST complete`, `PUT`, `HEAD`, `GET`, `GET list`, `DELETE` of an object or an upload, `PUT tagging`, `DELETE tagging`. */
export const nameObjectOperation = (method: string, path: string, query: URLSearchParams): string => {
  if (query.has('partNumber')) return `${method} part`;
  if (query.has('uploads')) return `${method} uploads`;
  if (query.has('tagging')) return `${method} tagging`;
  if (query.has('uploadId') && method === 'POST') return 'POST complete';
  return path === '/' && method === 'GET' ? 'GET list' : method;
};

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

const etagOf = (bytes: Uint8Array): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

const missing = { status: 404, code: 'NoSuchKey' };

/** An in-memory bucket with the used part of S3: whole objects, ranges, tags, multipart uploads, lists. */
export const createObjectStore = () => {
  const objects = new Map<string, Buffer>();
  const tags = new Map<string, string>();
  const uploads = new Map<string, Buffer[]>();
  const tagsOfUploads = new Map<string, string>();

  const operations: Readonly<Record<string, (request: ObjectRequest) => ObjectReply>> = {
    PUT: ({ path, headers, body }) => {
      if (headers['if-none-match'] === '*' && objects.has(path))
        return { status: 412, code: 'PreconditionFailed' };
      const checksum = headers['x-amz-checksum-sha256'] ?? sha256Of(body);
      if (checksum !== sha256Of(body)) return { status: 400, code: 'BadDigest' };
      objects.set(path, body);
      tags.set(path, String(headers['x-amz-tagging'] ?? ''));
      return { status: 200, headers: { etag: etagOf(body) } };
    },
    GET: ({ path, headers }) => {
      const object = objects.get(path);
      if (object === undefined) return missing;
      const etag = etagOf(object);
      if (headers['if-match'] !== undefined && headers['if-match'] !== etag)
        return { status: 412, code: 'PreconditionFailed' };
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range ?? '')) ?? [];
      if (from === undefined) return { status: 200, headers: { etag }, body: object };
      if (Number(from) >= object.length) return { status: 416, code: 'InvalidRange' };
      const part = object.subarray(Number(from), Number(to) + 1);
      const range = `bytes ${from}-${Number(from) + part.length - 1}/${object.length}`;
      return { status: 206, headers: { etag, 'content-range': range }, body: part };
    },
    HEAD: ({ path }) => {
      if (path === '/') return { status: 200 };
      const object = objects.get(path);
      return object === undefined
        ? missing
        : { status: 200, headers: { 'content-length': String(object.length), etag: etagOf(object) } };
    },
    DELETE: ({ path, query }) => {
      const upload = query.get('uploadId');
      if (upload !== null)
        return uploads.delete(upload) ? { status: 204 } : { status: 404, code: 'NoSuchUpload' };
      objects.delete(path);
      tags.delete(path);
      return { status: 204 };
    },
    'GET list': ({ query }) => {
      const keys = [...objects.keys()].map((path) => path.slice(1)).sort();
      const listed = keys.filter((key) => key.startsWith(query.get('prefix') ?? ''));
      const contents = listed.map((key) => {
        const bytes = objects.get(`/${key}`)?.length ?? 0;
        return `<Contents><Key>${escapeXml(key)}</Key><Size>${bytes}</Size></Contents>`;
      });
      const counts = `<KeyCount>${listed.length}</KeyCount><IsTruncated>false</IsTruncated>`;
      return { status: 200, body: `<ListBucketResult>${counts}${contents.join('')}</ListBucketResult>` };
    },
    'PUT tagging': ({ path, body }) => {
      if (!objects.has(path)) return missing;
      const [, key, value] = /<Key>([^<]+)<\/Key><Value>([^<]*)<\/Value>/.exec(body.toString()) ?? [];
      if (key === undefined) return { status: 400, code: 'MalformedXML' };
      tags.set(path, `${key}=${value}`);
      return { status: 200 };
    },
    'DELETE tagging': ({ path }) => {
      if (!objects.has(path)) return missing;
      tags.set(path, '');
      return { status: 204 };
    },
    'POST uploads': ({ headers }) => {
      const id = `upload/${uploads.size}+`;
      uploads.set(id, []);
      tagsOfUploads.set(id, String(headers['x-amz-tagging'] ?? ''));
      const result = `<UploadId>${id}</UploadId>`;
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult>${result}</InitiateMultipartUploadResult>`,
      };
    },
    'PUT part': ({ query, body }) => {
      const parts = uploads.get(query.get('uploadId') ?? '');
      if (parts === undefined) return { status: 404, code: 'NoSuchUpload' };
      parts[Number(query.get('partNumber')) - 1] = body;
      return { status: 200, headers: { etag: etagOf(body) } };
    },
    'POST complete': ({ path, query, body }) => {
      const id = query.get('uploadId') ?? '';
      const parts = uploads.get(id) ?? [];
      const named = [...body.toString().matchAll(/<ETag>([^<]+)<\/ETag>/g)].map(([, etag = '']) =>
        etag.replaceAll('&quot;', '"'),
      );
      if (JSON.stringify(named) !== JSON.stringify(parts.map(etagOf)))
        return { status: 400, code: 'InvalidPart' };
      objects.set(path, Buffer.concat(parts));
      tags.set(path, tagsOfUploads.get(id) ?? '');
      uploads.delete(id);
      return { status: 200, body: '<CompleteMultipartUploadResult/>' };
    },
  };

  return {
    objects,
    /** Tags of each object; empty when it has none. */
    tags,
    /** Multipart uploads that are neither completed nor aborted, by id. */
    uploads,
    /** Carries out a request; undefined for an unsupported operation. */
    operate: (request: ObjectRequest): ObjectReply | undefined => operations[request.operation]?.(request),
  };
};

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

/** Makes S3's error response; responses to HEAD have no body. */
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
