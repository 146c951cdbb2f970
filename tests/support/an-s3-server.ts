import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  createObjectStore,
  nameObjectOperation,
  type ObjectReply,
  type ObjectRequest,
} from 'lambda-stage/door';
import { verifySignature } from 'lambda-stage/signature';

/** With which presigned requests are signed. */
export const s3Keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-key' };
export const s3Region = 'eu-west-1';

/**
 * A bucket behind HTTP, for signed requests and for those with presigned URLs only.
 *
 * @param spoil - replaces the reply to a request; null leaves it
 */
export const startS3Server = async (
  spoil: (request: ObjectRequest) => ObjectReply | 'reset' | null = () => null,
  now: () => number = Date.now,
) => {
  const { objects, tags, uploads, operate } = createObjectStore();
  const requests: ObjectRequest[] = [];

  const server = createServer(async (incoming, response) => {
    const { method = '', headers } = incoming;
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://s3');
    const body = await buffer(incoming);
    const request = { operation: nameObjectOperation(method, path, query), path, query, headers, body };
    requests.push(request);
    const signer = { ...s3Keys, owner: null, sessionToken: undefined, expiresAt: undefined };
    const isSigned = query.has('X-Amz-Signature')
      ? (
          await verifySignature(
            { method, url: incoming.url ?? '', headers, body },
            {
              service: 's3',
              region: s3Region,
              now: now(),
              findKeys: (accessKeyId) => (accessKeyId === s3Keys.accessKeyId ? signer : null),
            },
          )
        ).problem === null
      : headers.authorization?.includes('/s3/aws4_request') === true &&
        headers['x-amz-content-sha256'] === createHash('sha256').update(body).digest('hex');
    const reply = isSigned ? (spoil(request) ?? operate(request)) : { status: 403 };
    if (reply === 'reset' || reply === undefined) incoming.socket.destroy();
    else response.writeHead(reply.status, reply.headers ?? {}).end(reply.body ?? reply.code);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    /** Tags of each object; empty when it has none. */
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
