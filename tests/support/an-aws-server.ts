import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { AwsClient } from '@hookloom/plugin-kit';
import { afterEach } from '@jest/globals';
import { openAwsClient } from '../../lib/adapters/aws-sdk/aws-client.chunk.ts';

/** A request of the SDK, with a body whose framing in chunks is taken off. */
export interface AwsRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

type Answer = (request: AwsRequest, response: ServerResponse) => void;

/** `aws-chunked`, in which the SDK sends a stream with its checksum: `SIZE\r\nBYTES\r\n…0\r\ntrailer`. */
const readChunked = (body: Buffer): Buffer => {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.subarray(at, end).toString(), 16);
    if (!(size > 0)) return Buffer.concat(chunks);
    chunks.push(body.subarray(end + 2, end + 2 + size));
    at = end + size + 4;
  }
};

/**
 * Starts servers that stand in for services of AWS, and points the SDK to them, until the end of the test.
 *
 * @returns a function that starts one for the services of these names in capitals, such as `DYNAMODB`
 */
export const useAwsServers = () => {
  const cleanups: (() => void)[] = [];
  afterEach(() => {
    for (const cleanup of cleanups.splice(0)) cleanup();
  });

  const setEnvironment = (name: string, value: string): void => {
    const before = process.env[name];
    process.env[name] = value;
    cleanups.push(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  };

  const pointTo = (endpoint: string, services: readonly string[], role: string | null = null): AwsClient => {
    for (const service of services) setEnvironment(`AWS_ENDPOINT_URL_${service}`, endpoint);
    setEnvironment('AWS_ACCESS_KEY_ID', 'own-key');
    setEnvironment('AWS_SECRET_ACCESS_KEY', 'own-secret');
    return openAwsClient({ region: 'eu-west-1', role });
  };

  const start = async (services: readonly string[], answer: Answer, role: string | null = null) => {
    const requests: AwsRequest[] = [];
    const server = createServer(async (incoming, response) => {
      const { method = '', url: path = '', headers } = incoming;
      const sent = await buffer(incoming).catch(() => null);
      if (sent === null) return; // the caller disconnected before it had sent everything
      const isChunked = headers['content-encoding']?.includes('aws-chunked') === true;
      const request = { method, path, headers, body: isChunked ? readChunked(sent) : sent };
      requests.push(request);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { requests, endpoint, client: pointTo(endpoint, services, role) };
  };

  return { start, pointTo };
};

/** An answer in JSON, with a request id. */
export const answerJson =
  (status: number, body: object): Answer =>
  (_request, response) => {
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'request-1' };
    response.writeHead(status, headers).end(JSON.stringify(body));
  };
