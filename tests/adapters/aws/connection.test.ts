import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createConnection } from '../../../lib/adapters/aws/aws-caller.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const GET = { method: 'GET', path: '/', headers: {} };
const timeouts = { connectMs: 5_000, exchangeMs: 5_000 };

/** A server with the sockets that were opened to it. */
const aServer = async (answer: RequestListener) => {
  const sockets: Socket[] = [];
  const server = createServer(answer).on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { sockets, origin: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) };
};

test('sequential exchanges share a connection', async () => {
  const { sockets, origin } = await aServer((request, response) => request.pipe(response));
  const exchange = createConnection(origin, timeouts);
  for (const body of ['one', new Uint8Array([1, 2]), '']) {
    const answer = await exchange({ method: 'POST', path: '/', headers: {}, body });
    expect(answer).toMatchObject({ status: 200, body: Buffer.from(body) });
  }
  expect(sockets).toHaveLength(1);
});

test('when one connection fails, all idle ones are dropped: a freeze ends them all', async () => {
  let held: (() => void)[] | null = [];
  let isFrozen = false;
  const { sockets, origin } = await aServer((_request, response) => {
    if (isFrozen) return response.destroy();
    if (held === null) return response.end();
    held.push(() => response.end());
    if (held.length === 3) for (const release of held) release();
    return response;
  });
  const exchange = createConnection(origin, timeouts);
  await Promise.all([exchange(GET), exchange(GET), exchange(GET)]);
  held = null;
  isFrozen = true;
  await expect(exchange(GET)).rejects.toThrow();
  isFrozen = false;
  await exchange(GET);
  expect(sockets).toHaveLength(4);
});

test.each<[string, RequestListener]>([
  ['no answer', () => {}],
  ['half an answer', (_request, response) => response.writeHead(200, { 'content-length': 2 }).write('a')],
])('%s fails when the time for an exchange is up', async (_case, answer) => {
  const { origin } = await aServer(answer);
  const exchange = createConnection(origin, { ...timeouts, exchangeMs: 50 });
  await expect(exchange(GET)).rejects.toThrow('no complete answer within 50 ms');
});

test('a response that is cut off is an error', async () => {
  const { origin } = await aServer((request, response) => {
    response.writeHead(200, { 'content-length': 2 }).write('a', () => request.socket.destroy());
  });
  await expect(createConnection(origin, timeouts)(GET)).rejects.toThrow();
});

test('a host that accepts no connection is an error after the connect timeout', async () => {
  // A process that listens and is blocked: once its queue is full, further connections stay half open.
  const script = `
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(() => child.kill('SIGKILL'));
  const port = Number(await once(child.stdout, 'data'));
  const queue = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  cleanups.push(() => {
    for (const socket of queue) socket.destroy();
  });
  await once(queue[0] as Socket, 'connect');
  const exchange = createConnection(new URL(`http://127.0.0.1:${port}`), { ...timeouts, connectMs: 50 });
  await expect(exchange(GET)).rejects.toThrow('no connection within 50 ms');
});
