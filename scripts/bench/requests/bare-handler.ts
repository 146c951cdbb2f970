import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSigner } from '../../../lib/adapters/aws/aws-caller.ts';
import type { DynamoDbCall } from '../../../tests/support/a-dynamodb-proxy.ts';

/** The parts of a request's event that a handwritten handler reads. */
interface BareEvent {
  readonly body: string;
}

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/**
 * A function for comparison, written by hand as well as it can be: it responds after the same writes, over a connection that it
 * keeps, signed with a key that it keeps, by node:https, or by node:http to a stand-in. It loads both, as a function in AWS must.
 */
export const createBareHandler = (endpoint: string, writes: readonly DynamoDbCall[]) => {
  const open = endpoint.startsWith('https:')
    ? sendOver(httpsRequest, new HttpsAgent({ keepAlive: true }))
    : sendOver(httpRequest, new HttpAgent({ keepAlive: true }));
  const send = open(endpoint);
  return async (event: BareEvent) => {
    const greeting = `Hello, ${JSON.parse(event.body).name}`;
    for (const write of writes) await send(write);
    return { statusCode: 200, body: JSON.stringify({ greeting }) };
  };
};

const sendOver = (request: typeof httpRequest, agent: HttpAgent) => (endpoint: string) => {
  const { host, hostname, port } = new URL(endpoint);
  const sign = createSigner('dynamodb', 'us-east-1');
  return ({ operation, input }: DynamoDbCall): Promise<unknown> => {
    const body = JSON.stringify(input);
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
    };
    const signed = sign({ method: 'POST', host, path: '/', headers, body }, credentials, Date.now());
    return new Promise((resolve, reject) => {
      request({ agent, hostname, port, method: 'POST', path: '/', headers: signed }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
      })
        .on('error', reject)
        .end(body);
    });
  };
};
