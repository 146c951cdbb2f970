import { createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import dynalite from 'dynalite';
import { AT_ONCE, withStore } from '../../src/database/watch-changes.ts';
import { type InternalServer, startInternalServer } from '../../src/net/listen.ts';
import { foreignRequests, ownRequests, type Sent } from '../support/foreign-requests.ts';

const servers: InternalServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

/** Sends exactly these headers. */
const send = async ({ endpoint }: InternalServer, { headers }: Sent, path = '/') => {
  const { port } = new URL(endpoint);
  const sent = request({ host: '127.0.0.1', port, path, setHost: false, headers: headers(port) });
  sent.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    sent.once('response', resolve).once('error', reject),
  );
  return { status: response.statusCode, type: response.headers['content-type'], body: await text(response) };
};

describe('a server of the local service itself', () => {
  const aServer = async () => {
    let calls = 0;
    const server = await startInternalServer(
      createServer((_request, response) => {
        calls += 1;
        response.end('served');
      }),
    );
    servers.push(server);
    return { server, calls: () => calls };
  };

  test.each(ownRequests)('serves $case', async (sent) => {
    const { server } = await aServer();
    expect(await send(server, sent)).toMatchObject({ status: 200, body: 'served' });
  });

  test.each(foreignRequests)('refuses $case', async (sent) => {
    const { server, calls } = await aServer();
    const answer = await send(server, sent);
    expect(answer).toMatchObject({ status: sent.status, type: 'application/problem+json' });
    expect(JSON.parse(answer.body)).toMatchObject({ status: sent.status, detail: expect.any(String) });
    expect(calls()).toBe(0);
  });
});

test('a server of the local service itself leaves idle connections to its clients', async () => {
  const server = await startInternalServer(createServer((_request, response) => response.end()));
  servers.push(server);
  const { headers } = await fetch(server.endpoint);
  // Otherwise `keep-alive` has the seconds after which the server closes it.
  expect([headers.get('connection'), headers.get('keep-alive')]).toEqual(['keep-alive', null]);
});

test('the embedded DynamoDB, which would answer pages of any origin, refuses them', async () => {
  const [http] = withStore(() => dynalite(AT_ONCE));
  const server = await startInternalServer(http);
  servers.push(server);
  const headers = (port: string) => ['host', `127.0.0.1:${port}`, 'origin', 'https://evil.example'];
  expect(await send(server, { case: '', headers, status: 403 })).toMatchObject({ status: 403 });
});
