import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { TcpClient, TcpTarget } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { lateTcpClient } from '../../../lib/adapters/tcp-client/late-tcp-client.ts';
import { createTcpClient } from '../../../lib/adapters/tcp-client/tcp-client.chunk.ts';

const server = net.createServer((socket) => socket.on('error', () => {}).end('hello'));
let port = 0;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => void server.close());

const aTarget = (host: string, changes: Partial<TcpTarget> = {}): TcpTarget => ({
  host,
  port,
  timeoutMs: 5_000,
  signal: new AbortController().signal,
  ...changes,
});

const failureOf = async (client: TcpClient, target: TcpTarget): Promise<unknown> =>
  client.connect(target).then(
    () => {
      throw new Error('it was connected');
    },
    (error: unknown) => error,
  );

const hello = async (client: TcpClient, host: string): Promise<string> => {
  const socket = await client.connect(aTarget(host));
  const [chunk] = await once(socket, 'data');
  socket.destroy();
  return String(chunk);
};

describe('a connection', () => {
  test.each([
    ['an address that is allowed', createTcpClient({ allow: ['127.0.0.1'] }), '127.0.0.1'],
    [
      'a name that is allowed, in any case',
      createTcpClient({ allow: ['db.internal'], lookup: async () => ['127.0.0.1'] }),
      'DB.internal',
    ],
    ['the same, when its code is loaded late', lateTcpClient(['127.0.0.1']), '127.0.0.1'],
  ])('goes to %s', async (_case, client, host) => {
    expect(await hello(client, host)).toBe('hello');
  });

  test.each(['127.0.0.1', 'localhost', '127.1', '0x7f.1', '::1', '169.254.169.254', '10.0.0.1'])(
    'to %s is refused, with the setting that allows it',
    async (host) => {
      expect(await failureOf(createTcpClient(), aTarget(host))).toMatchObject({
        code: 'OUTBOUND_REFUSED',
        message: expect.stringMatching(/not public .* OUTBOUND_ALLOW can allow /),
      });
    },
  );

  test('is refused when one address of the host is private, and no address is shown', async () => {
    const client = createTcpClient({ lookup: async () => ['1.1.1.1', '10.0.0.7'] });
    const failure = await failureOf(client, aTarget('db.example'));
    expect(failure).toMatchObject({
      message: `A connection to db.example:${port} was refused: db.example resolves to an address that is not public (private); the setting OUTBOUND_ALLOW can allow db.example:${port}.`,
    });
  });

  test.each([0, 65_536, 1.5, Number.NaN])('to the port %p is refused', async (wrong) => {
    const client = createTcpClient({ allow: ['127.0.0.1'] });
    expect(await failureOf(client, aTarget('127.0.0.1', { port: wrong }))).toMatchObject({
      code: 'OUTBOUND_REFUSED',
      message: expect.stringContaining('its port is not from 1 to 65535'),
    });
  });

  test('without a host is refused, also where this machine is allowed', async () => {
    const client = createTcpClient({ allow: ['127.0.0.1', '::1', 'localhost'] });
    expect(await failureOf(client, aTarget(''))).toMatchObject({
      code: 'OUTBOUND_REFUSED',
      message: expect.stringContaining('it has no host'),
    });
  });

  test('fails when its host refuses it or is unknown', async () => {
    const closed = net.createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port: free } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const client = createTcpClient({ allow: ['127.0.0.1'] });
    expect(await failureOf(client, aTarget('127.0.0.1', { port: free }))).toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: `A connection to 127.0.0.1:${free} failed: the connection was refused.`,
    });
    const lost = createTcpClient({ lookup: async () => [] });
    expect(await failureOf(lost, aTarget('gone.example'))).toMatchObject({ code: 'OUTBOUND_FAILED' });
  });

  test('ends with its timeout and its signal', async () => {
    const client = createTcpClient({ lookup: () => new Promise(() => {}) });
    expect(await failureOf(client, aTarget('slow.example', { timeoutMs: 1 }))).toMatchObject({
      code: 'OUTBOUND_TIMEOUT',
    });
    const controller = new AbortController();
    const failing = failureOf(client, aTarget('slow.example', { signal: controller.signal }));
    const reason = new Error('the run has ended');
    controller.abort(reason);
    expect(await failing).toBe(reason);
  });

  test('outlives its signal once it is established', async () => {
    const controller = new AbortController();
    const client = createTcpClient({ allow: ['127.0.0.1'] });
    const socket = await client.connect(aTarget('127.0.0.1', { signal: controller.signal }));
    controller.abort();
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).toBe('hello');
    socket.destroy();
  });
});

test('an invalid allow-list is a configuration error', () => {
  expect(() => createTcpClient({ allow: ['*'] })).toThrow('"*" in the list of allowed hosts');
});
