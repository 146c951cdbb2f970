import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of one call: it passes, or it goes wrong in one of the ways that happen. */
export type Fault =
  | 'pass'
  | 'throttle'
  | 'fail'
  | 'html'
  /** A success that is no JSON. */
  | 'rubbish'
  /** The connection ends amid the answer. */
  | 'cut'
  | 'reset'
  /** No answer, and the call has no effect. */
  | 'nothing'
  /** The call has its effect, and the connection ends. */
  | 'lose the reply'
  /** The call has its effect, and is not answered. */
  | 'keep the reply'
  /** Any other answer, and the call has no effect. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: object };

/** What names the operation of an API other than DynamoDB's. */
export interface ProxiedCall extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  /** Called when it is answered, or its connection has ended. */
  onEnd(listener: () => void): void;
}

/**
 * A proxy before a DynamoDB, or another API of AWS. `decide` sees each call's operation (`PutItem`, …) and table, how many went before, and the
 * request itself.
 */
export const startFaultProxy = async (
  endpoint: string,
  decide: (
    operation: string,
    table: string,
    count: number,
    request: { readonly [key: string]: unknown },
    call: ProxiedCall,
  ) => Fault,
) => {
  let count = 0;
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const [, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const request = JSON.parse(body.toString() || '{}');
    const { TableName = '' } = request;
    const { method, url, headers } = incoming;
    const call = { method, url, headers, onEnd: (listener: () => void) => outgoing.once('close', listener) };
    const answer = (status: number, type: string, text: string) =>
      outgoing.writeHead(status, { 'content-type': type }).end(text);
    const json = 'application/x-amz-json-1.0';

    const fault = decide(operation, TableName, count++, request, call);
    if (typeof fault === 'object') {
      const type = { 'content-type': 'application/json', ...fault.headers };
      return outgoing.writeHead(fault.status, type).end(JSON.stringify(fault.body));
    }
    switch (fault) {
      case 'throttle':
        return answer(
          400,
          json,
          '{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow down"}',
        );
      case 'fail':
        return answer(500, json, '{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}');
      case 'html':
        return answer(502, 'text/html', '<html>bad gateway</html>');
      case 'rubbish':
        return answer(200, json, '{"Item":');
      case 'cut':
        outgoing.writeHead(200, { 'content-type': json, 'content-length': 100 }).write('{"Item":');
        return setImmediate(() => incoming.socket.destroy());
      case 'reset':
        return incoming.socket.destroy();
      case 'nothing':
        return;
      case 'keep the reply':
        return forward(endpoint, incoming, body, () => {});
      case 'lose the reply':
        return forward(endpoint, incoming, body, () => incoming.socket.destroy());
      case 'pass':
        return forward(endpoint, incoming, body, (status, headers, text) => {
          outgoing.writeHead(status, headers).end(text);
        });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const forward = (
  endpoint: string,
  { method = 'POST', url = '/', headers }: IncomingMessage,
  body: Buffer,
  then: (status: number, headers: NodeJS.Dict<string | string[]>, text: Buffer) => void,
): void => {
  // Servers of this machine answer to their own name alone.
  const { host } = new URL(endpoint);
  send(`${endpoint}${url}`, { method, headers: { ...headers, host } }, async (response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    then(response.statusCode ?? 0, response.headers, Buffer.concat(chunks));
  }).end(body);
};
