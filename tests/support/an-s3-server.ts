import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { checkPresigned } from '../../local/uploads/check-presigned.ts';

interface Request {
  /** `PUT part`, `POST uploads`, `POST complete`, `PUT`, `HEAD`, `GET`, `DELETE`, `DELETE tagging`. */
  readonly operation: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

const operationOf = (method: string, query: URLSearchParams): string => {
  if (query.has('partNumber')) return `${method} part`;
  if (query.has('uploads')) return `${method} uploads`;
  if (query.has('tagging')) return `${method} tagging`;
  return method === 'POST' ? 'POST complete' : method;
};

/** With which presigned requests are signed. */
export const s3Keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-key' };
export const s3Region = 'eu-west-1';

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes);

const etagOf = (bytes: Uint8Array) => `"${createHash('md5').update(bytes).digest('hex')}"`;

/**
 * As much of S3 as is used: whole objects, ranges, multipart uploads, and what is put by presigned URLs, for signed requests only.
 *
 * @param spoil - replaces the reply to a request; null leaves it
 */
export const startS3Server = async (
  spoil: (request: Request) => Reply | 'reset' | null = () => null,
  now: () => number = Date.now,
) => {
  const objects = new Map<string, Buffer>();
  const tags = new Map<string, string>();
  const uploads = new Map<string, Buffer[]>();
  const requests: Request[] = [];

  const operations: Record<string, (request: Request) => Reply> = {
    PUT: ({ path, headers, body }) => {
      if (headers['if-none-match'] === '*' && objects.has(path)) return { status: 412 };
      const checksum = headers['x-amz-checksum-sha256'] ?? sha256Of(body).digest('base64');
      if (checksum !== sha256Of(body).digest('base64')) return { status: 400, body: 'BadDigest' };
      objects.set(path, body);
      tags.set(path, String(headers['x-amz-tagging'] ?? ''));
      return { status: 200, headers: { etag: etagOf(body) } };
    },
    GET: ({ path, headers }) => {
      const object = objects.get(path);
      if (object === undefined) return { status: 404 };
      const etag = etagOf(object);
      if (headers['if-match'] !== undefined && headers['if-match'] !== etag) return { status: 412 };
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      if (from === undefined) return { status: 200, headers: { etag }, body: object };
      if (Number(from) >= object.length) return { status: 416 };
      const range = { etag, 'content-range': `bytes ${from}-${to}/${object.length}` };
      return { status: 206, headers: range, body: object.subarray(Number(from), Number(to) + 1) };
    },
    HEAD: ({ path }) => {
      const object = objects.get(path);
      return object === undefined
        ? { status: 404 }
        : { status: 200, headers: { 'content-length': String(object.length) } };
    },
    'DELETE tagging': ({ path }) => {
      tags.set(path, '');
      return { status: 204 };
    },
    'POST uploads': () => {
      const id = `upload/${uploads.size}+`;
      uploads.set(id, []);
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    },
    'PUT part': ({ query, body }) => {
      const parts = uploads.get(query.get('uploadId') ?? '');
      if (parts === undefined) return { status: 404 };
      parts[Number(query.get('partNumber')) - 1] = body;
      return { status: 200, headers: { etag: etagOf(body) } };
    },
    'POST complete': ({ path, query, body }) => {
      const id = query.get('uploadId') ?? '';
      const parts = uploads.get(id) ?? [];
      const named = [...body.toString().matchAll(/<ETag>([^<]+)<\/ETag>/g)].map(([, etag]) => etag);
      if (JSON.stringify(named) !== JSON.stringify(parts.map(etagOf))) return { status: 400 };
      objects.set(path, Buffer.concat(parts));
      uploads.delete(id);
      return { status: 200, body: '<CompleteMultipartUploadResult/>' };
    },
    DELETE: ({ query }) => ({ status: uploads.delete(query.get('uploadId') ?? '') ? 204 : 404 }),
  };

  const server = createServer(async (incoming, response) => {
    const { method = '', headers } = incoming;
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://s3');
    const body = await buffer(incoming);
    const request = { operation: operationOf(method, query), path, query, headers, body };
    requests.push(request);
    const signer = { region: s3Region, credentials: s3Keys, now: now() };
    const isSigned = query.has('X-Amz-Signature')
      ? checkPresigned({ method, url: incoming.url ?? '', headers }, signer) === null
      : headers.authorization?.includes('/s3/aws4_request') === true &&
        headers['x-amz-content-sha256'] === sha256Of(body).digest('hex');
    const reply = isSigned ? (spoil(request) ?? operations[request.operation]?.(request)) : { status: 403 };
    if (reply === 'reset' || reply === undefined) incoming.socket.destroy();
    else response.writeHead(reply.status, reply.headers ?? {}).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    /** Of each object; empty when it has none. */
    tags,
    /** Multipart uploads that are neither completed nor aborted, by id. */
    uploads,
    requests,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
