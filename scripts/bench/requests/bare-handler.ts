import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import aws4 from 'aws4';
import type { DynamoDbCall } from '../../../tests/support/a-dynamodb-proxy.ts';

/** The parts of a request's event that a handwritten handler reads. */
interface BareEvent {
  readonly body: string;
}

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/**
 * A handwritten function for comparison: it responds after the same writes, signed by aws4 and sent over node:https, or over
 * node:http to a stand-in. It loads both, as a function in AWS must.
 */
export const createBareHandler = (endpoint: string, writes: readonly DynamoDbCall[]) => {
  const send = endpoint.startsWith('https:')
    ? sendOver(httpsRequest, new HttpsAgent({ keepAlive: true }))
    : sendOver(httpRequest, new HttpAgent({ keepAlive: true }));
  return async (event: BareEvent) => {
    const greeting = `Hello, ${JSON.parse(event.body).name}`;
    for (const write of writes) await send(endpoint, write);
    return { statusCode: 200, body: JSON.stringify({ greeting }) };
  };
};

const sendOver =
  (request: typeof httpRequest, agent: HttpAgent) =>
  (endpoint: string, { operation, input }: DynamoDbCall): Promise<unknown> => {
    const { host, hostname, port } = new URL(endpoint);
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
    };
    const body = JSON.stringify(input);
    const call = { service: 'dynamodb', region: 'us-east-1', host, method: 'POST', path: '/', headers, body };
    const signed = aws4.sign(call, credentials);
    return new Promise((resolve, reject) => {
      request(
        { agent, hostname, port, method: 'POST', path: '/', headers: signed.headers ?? {} },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
        },
      )
        .on('error', reject)
        .end(body);
    });
  };
