import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { OutboundRequest } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { aLocalServer, aRawServer, type LocalServer } from '../../support/a-local-server.ts';
import { anOutboundRequest, failureOf } from '../../support/an-outbound-request.ts';

const zeros = Buffer.alloc(1_000);
const encoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

let server: LocalServer;
beforeAll(async () => {
  server = await aLocalServer({
    '/hello': (_request, response) => response.writeHead(200, { 'X-A': 'b' }).end('hello'),
    '/teapot': (_request, response) => response.writeHead(418).end(),
    '/repeated': (_request, response) =>
      response
        .writeHead(200, [
          'X-A',
          '1',
          'Set-Cookie',
          'a=1',
          'x-a',
          '2',
          'set-cookie',
          'b=2',
          'Age',
          '1',
          'age',
          '2',
        ])
        .end(),
    '/proto': (_request, response) => response.writeHead(200, ['__proto__', 'x']).end(),
    '/bytes': ({ url }, response) => response.end(zeros.subarray(0, Number(url.split('=')[1]))),
    '/chunks': (_request, response) => {
      // No end: whoever reads on waits forever.
      response.write(zeros);
    },
    '/silent': () => {},
    '/slow': (_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('12345');
    },
    '/cut': (_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('12345', () => response.destroy());
    },
    '/hang-up': (_request, response) => response.destroy(),
    '/encoded': ({ url }, response) => {
      const encoding = url.split('=')[1] ?? '';
      const body = encoders[encoding]?.(zeros) ?? Buffer.from('as it is');
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length }).end(body);
    },
    '/mislabelled': (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'GZIP' }).end('plain'),
    '/empty-gzip': (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
  });
});
afterAll(() => server.close());

const client = createHttpClient({ allow: ['127.0.0.1'] });
const get = (path: string, changes: Partial<OutboundRequest> = {}) =>
  client.request(anOutboundRequest(`${server.origin}${path}`, changes));
const fail = (path: string, changes: Partial<OutboundRequest> = {}) =>
  failureOf(client, `${server.origin}${path}`, changes);
const lastReceived = () => server.received.at(-1);

describe('a request', () => {
  test('is sent unchanged, and its response returned', async () => {
    const answer = await get('/hello?a=1', {
      method: 'post',
      headers: { 'X-Custom': 'yes', 'content-type': 'text/plain' },
      body: 'grüße',
    });
    expect(answer).toMatchObject({ status: 200, url: `${server.origin}/hello?a=1`, headers: { 'x-a': 'b' } });
    expect(Buffer.from(answer.body).toString()).toBe('hello');
    expect(lastReceived()).toMatchObject({ method: 'POST', url: '/hello?a=1', body: 'grüße' });
    expect(lastReceived()?.headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
      'user-agent': 'hookloom',
      'accept-encoding': 'identity',
      'x-custom': 'yes',
      'content-type': 'text/plain',
      'content-length': '7',
    });
  });

  test('sends bytes as they are', async () => {
    await get('/hello', { method: 'PUT', body: new Uint8Array([104, 105]) });
    expect(lastReceived()).toMatchObject({ method: 'PUT', body: 'hi' });
  });

  test('may set its own User-Agent', async () => {
    await get('/hello', { headers: { 'User-Agent': 'mine' } });
    expect(lastReceived()?.headers['user-agent']).toBe('mine');
  });

  test('keeps a response header named __proto__ a header', async () => {
    const answer = await get('/proto');
    expect(Object.entries(answer.headers)).toContainEqual(['__proto__', 'x']);
  });

  test('resolves with an error status like any other', async () => {
    expect(await get('/teapot')).toMatchObject({ status: 418 });
  });

  test('joins all repeated response headers', async () => {
    expect((await get('/repeated')).headers).toMatchObject({
      'x-a': '1, 2',
      'set-cookie': 'a=1, b=2',
      age: '1, 2',
    });
  });

  test('with HEAD has a response without a body', async () => {
    const answer = await get('/hello', { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toHaveLength(0);
  });

  test('reaches an allowed host name', async () => {
    const byName = createHttpClient({ allow: ['shop.internal'], lookup: async () => ['127.0.0.1'] });
    const answer = await byName.request(anOutboundRequest(`http://shop.internal:${server.port}/hello`));
    expect(answer.status).toBe(200);
    expect(lastReceived()?.headers.host).toBe(`shop.internal:${server.port}`);
  });
});

describe('addresses that are not public', () => {
  const guarded = createHttpClient();

  // holds: private-addresses-refused
  test.each([
    '127.0.0.1',
    'localhost',
    'LOCALHOST',
    '127.8.8.8',
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[fd00:ec2::254]',
    '[64:ff9b::7f00:1]',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '017700000001',
    '127.1',
    '0',
    '127.0.0.1.',
    '①②⑦.0.0.1',
    '%31%32%37.0.0.1',
  ])('%s is refused', async (host) => {
    const before = server.received.length;
    const error = await failureOf(guarded, `http://${host}:${server.port}/hello`);
    expect(error.code).toBe('OUTBOUND_REFUSED');
    expect(error.message).toContain('an address that is not public');
    expect(server.received).toHaveLength(before);
  });

  // holds: private-addresses-refused
  test('one private address among public ones refuses the host', async () => {
    const mixed = createHttpClient({ lookup: async () => ['1.1.1.1', '127.0.0.1'] });
    const error = await failureOf(mixed, 'http://rebind.example/');
    expect(error).toMatchObject({ code: 'OUTBOUND_REFUSED', status: 502 });
    expect(error.message).toContain('rebind.example resolves to an address that is not public (loopback)');
  });

  test('allowing one port allows no other', async () => {
    const onePort = createHttpClient({ allow: [`127.0.0.1:${server.port}`] });
    expect((await onePort.request(anOutboundRequest(`${server.origin}/hello`))).status).toBe(200);
    const error = await failureOf(onePort, `http://127.0.0.1:${server.port === 9 ? 10 : 9}/`);
    expect(error.code).toBe('OUTBOUND_REFUSED');
  });

  test('without a port in the URL, the protocol determines the port', async () => {
    const lookup = async () => ['10.0.0.1'];
    const other = createHttpClient({ allow: ['a.internal:443', 'b.internal:80'], lookup });
    expect((await failureOf(other, 'http://a.internal/')).code).toBe('OUTBOUND_REFUSED');
    expect((await failureOf(other, 'https://b.internal/')).code).toBe('OUTBOUND_REFUSED');
  });
});

describe('what is refused before anything is sent', () => {
  const secret = 'hunter2';

  test.each(['CONNECT', 'connect', 'GET /x HTTP/1.1\r\nA: b', '', 'G T'])('the method %j', async (method) => {
    const error = await fail(`/hello?key=${secret}`, { method });
    expect(error.code).toBe('OUTBOUND_REFUSED');
    expect(error.message).toContain('its method cannot be used');
    expect(error.message).not.toContain(secret);
  });

  test.each([
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'data:text/plain,hunter2',
    'javascript:1',
    'gopher://127.0.0.1:6379/_x',
    'ws://127.0.0.1/',
  ])('%s', async (url) => {
    const error = await failureOf(client, url);
    expect(error.code).toBe('OUTBOUND_REFUSED');
    expect(error.message).toContain('only http and https can be used');
    expect(error.message).not.toContain(secret);
  });

  test.each(['', '/hello', 'hunter2', 'http://', 'http://[::1', 'http://a b/'])(
    '%j as a URL',
    async (url) => {
      expect((await failureOf(client, url)).message).toBe(
        'An outbound request was refused: its URL is not absolute.',
      );
    },
  );

  test.each(['hunter2@', 'hunter2:hunter2@', ':hunter2@'])('credentials in the URL: %s', async (userinfo) => {
    const error = await failureOf(client, `http://${userinfo}127.0.0.1:${server.port}/hello`);
    expect(error.code).toBe('OUTBOUND_REFUSED');
    expect(error.message).toContain('credentials belong in a header');
    expect(error.message).not.toContain(secret);
  });

  test.each([
    ['x-key', 'hunter2\r\nx-other: 1'],
    ['x-key', 'hunter2\n'],
    ['x-key', 'hunter2\u0000'],
    ['x-key', 'hunter2→'],
    ['x key', 'hunter2'],
    ['x-key:', 'hunter2'],
    ['x\r\ny', 'hunter2'],
    ['', 'hunter2'],
    ['Host', 'hunter2'],
    ['Content-Length', '1'],
    ['transfer-encoding', 'chunked'],
    ['Connection', 'upgrade'],
    ['Upgrade', 'h2c'],
    ['TE', 'trailers'],
    ['Proxy-Authorization', 'hunter2'],
  ])('the header %j: %j', async (name, value) => {
    const before = server.received.length;
    const error = await fail('/hello', { headers: { [name]: value } });
    expect(error.code).toBe('OUTBOUND_REFUSED');
    expect(error.message).toContain(`its header "${name.toLowerCase()}"`);
    expect(error.message).not.toContain(secret);
    expect(server.received).toHaveLength(before);
  });
});

describe('the size of a response', () => {
  test.each([0, 1, 999, 1_000])('%d bytes fit into a limit of 1000', async (size) => {
    const answer = await get(`/bytes?size=${size}`, { maxResponseBytes: 1_000 });
    expect(answer.body).toHaveLength(size);
  });

  test('one byte more does not', async () => {
    expect(await fail('/bytes?size=1000', { maxResponseBytes: 999 })).toMatchObject({
      code: 'OUTBOUND_TOO_LARGE',
      message: `GET 127.0.0.1:${server.port} returned more than 999 bytes.`,
    });
  });

  test('reading stops once it is too large', async () => {
    expect((await fail('/chunks', { maxResponseBytes: 999 })).code).toBe('OUTBOUND_TOO_LARGE');
  });

  test.each(Object.keys(encoders))('%s is decoded, and its decoded size counts', async (encoding) => {
    const answer = await get(`/encoded?as=${encoding}`, { maxResponseBytes: 1_000 });
    expect(Buffer.from(answer.body)).toEqual(zeros);
    expect(answer.headers).not.toHaveProperty('content-encoding');
    expect(answer.headers).not.toHaveProperty('content-length');
    expect((await fail(`/encoded?as=${encoding}`, { maxResponseBytes: 999 })).code).toBe(
      'OUTBOUND_TOO_LARGE',
    );
  });

  test('an unknown encoding is left undecoded', async () => {
    const answer = await get('/encoded?as=rot13');
    expect(Buffer.from(answer.body).toString()).toBe('as it is');
    expect(answer.headers).toMatchObject({ 'content-encoding': 'rot13', 'content-length': '8' });
  });

  test('an empty body is empty in every encoding', async () => {
    expect((await get('/empty-gzip')).body).toHaveLength(0);
  });

  test('a body that does not match its encoding is a failure', async () => {
    expect(await fail('/mislabelled')).toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: expect.stringContaining('the body does not match its content encoding'),
    });
  });
});

describe('when time is up', () => {
  test.each(['/silent', '/slow'])('%s is a timeout', async (path) => {
    expect(await fail(`${path}?key=hunter2`, { timeoutMs: 50 })).toMatchObject({
      code: 'OUTBOUND_TIMEOUT',
      status: 504,
      message: `GET 127.0.0.1:${server.port} timed out after 50 ms.`,
    });
  });

  test('a lookup that takes too long is a timeout too', async () => {
    const lost = createHttpClient({ lookup: () => new Promise(() => {}) });
    expect((await failureOf(lost, 'http://lost.example/', { timeoutMs: 50 })).code).toBe('OUTBOUND_TIMEOUT');
  });

  test('the longest possible timeout does not expire at once', async () => {
    expect(await get('/hello', { timeoutMs: 2 ** 40 })).toMatchObject({ status: 200 });
  });

  test('an abort rejects with its reason, and sends nothing more', async () => {
    const reason = new Error('enough');
    const before = server.received.length;
    await expect(get('/hello', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.received).toHaveLength(before);
  });

  test.each(['/silent', '/slow'])('an abort in the middle of %s does so too', async (path) => {
    const controller = new AbortController();
    const before = server.received.length;
    const pending = get(path, { signal: controller.signal });
    while (server.received.length === before) await new Promise(setImmediate);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });
});

describe('when the exchange breaks', () => {
  test.each([
    ['/hang-up', 'the connection was closed before the answer was complete'],
    ['/cut', 'the connection was closed before the answer was complete'],
  ])('%s: %s', async (path, reason) => {
    expect(await fail(`${path}?key=hunter2`)).toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: `GET 127.0.0.1:${server.port} failed: ${reason}.`,
    });
  });

  test('the connection is refused', async () => {
    const gone = await aLocalServer({});
    await gone.close();
    expect((await failureOf(client, gone.origin)).message).toContain('the connection was refused');
  });

  test.each([
    ['ENOTFOUND', 'the host is unknown'],
    ['EAI_AGAIN', 'the host name could not be looked up'],
    ['ESOMETHING', 'ESOMETHING'],
  ])('a lookup that fails with %s', async (code, reason) => {
    const lookup = () => Promise.reject(Object.assign(new Error('hunter2'), { code }));
    const error = await failureOf(createHttpClient({ lookup }), 'http://gone.example/');
    expect(error).toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: `GET gone.example failed: ${reason}.`,
      cause: { message: 'hunter2' },
    });
  });

  test('a host without an address', async () => {
    const error = await failureOf(createHttpClient({ lookup: async () => [] }), 'http://gone.example/');
    expect(error.message).toContain('the host is unknown');
  });

  test.each([
    ['no HTTP at all', 'hunter2 hunter2\r\n\r\n'],
    ['a header that cannot be', 'HTTP/1.1 200 OK\r\nhunter2 x\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nhunter2'],
  ])('a response that is %s fails without quoting it', async (_what, answer) => {
    const raw = await aRawServer(answer);
    try {
      const error = await failureOf(client, raw.origin);
      expect(error.code).toBe('OUTBOUND_FAILED');
      expect(error.message).not.toContain('hunter2');
    } finally {
      await raw.close();
    }
  });

  test('https to a port without TLS', async () => {
    const error = await failureOf(client, `https://127.0.0.1:${server.port}/hello`);
    expect(error.code).toBe('OUTBOUND_FAILED');
  });
});

describe('connections', () => {
  const settle = () => new Promise(setImmediate);

  test('are kept for the next request, unless they have been idle for too long', async () => {
    const clock = { time: 1_000, now: () => clock.time };
    const keeping = createHttpClient({ allow: ['127.0.0.1'], clock });
    const connections: (number | undefined)[] = [];
    for (const pauseMs of [0, 4_000, 4_001, 0]) {
      clock.time += pauseMs;
      await keeping.request(anOutboundRequest(`${server.origin}/hello`));
      connections.push(lastReceived()?.connection);
      await settle();
    }
    const [first, second, third, fourth] = connections;
    expect(second).toBe(first);
    expect(third).not.toBe(second);
    expect(fourth).toBe(third);
  });

  test('are not shared between clients', async () => {
    const allow = ['127.0.0.1'];
    const connections: (number | undefined)[] = [];
    for (const one of [createHttpClient({ allow }), createHttpClient({ allow })]) {
      await one.request(anOutboundRequest(`${server.origin}/hello`));
      connections.push(lastReceived()?.connection);
      await settle();
    }
    expect(new Set(connections).size).toBe(2);
  });
});

test('an invalid list of allowed hosts fails at once', () => {
  expect(() => createHttpClient({ allow: ['*'] })).toThrow('"*" in the list of allowed hosts');
});
