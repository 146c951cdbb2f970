import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { OutboundRequest } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { FILE_CHANGED } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { anOutboundRequest, failureOf } from '../../support/an-outbound-request.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const client = createHttpClient({ allow: ['127.0.0.1'] });

const aServer = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

/** Answers with what it got. */
const anEcho = () =>
  aServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    response.end(JSON.stringify({ method: request.method, length, encoding, body }));
  });

const chunks = async function* (...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
};

/** Chunks without an end, and a promise of their close. */
const endless = () => {
  const closed = Promise.withResolvers<void>();
  const stream = async function* () {
    try {
      for (;;) {
        yield Buffer.alloc(10_000);
        await new Promise(setImmediate);
      }
    } finally {
      closed.resolve();
    }
  };
  return { closed: closed.promise, body: stream() };
};

const send = (url: string, changes: Partial<OutboundRequest>) =>
  client.request(anOutboundRequest(url, { method: 'POST', ...changes }));

const get = async (url: string, changes: Partial<OutboundRequest> = {}) => {
  const response = await client.request(anOutboundRequest(url, { streamsBody: true, ...changes }));
  if (response.stream === null) throw new Error('the response is not streamed');
  return { ...response, stream: response.stream };
};

const outcomeOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('a streamed body', () => {
  test.each(['POST', 'PUT', 'DELETE', 'GET'])('is sent in chunks with %s', async (method) => {
    const { body } = await send(await anEcho(), { method, body: chunks('hel', 'lo') });
    expect(JSON.parse(Buffer.from(body).toString())).toEqual({ method, encoding: 'chunked', body: 'hello' });
  });

  test('is sent with its length if known', async () => {
    const { body } = await send(await anEcho(), { body: chunks('hel', 'lo'), bodyBytes: 5 });
    expect(JSON.parse(Buffer.from(body).toString())).toEqual({ method: 'POST', length: '5', body: 'hello' });
  });

  test.each([0, 4, 6])('fails when its stated length is %d and does not match', async (bodyBytes) => {
    const error = await failureOf(client, await anEcho(), {
      method: 'POST',
      body: chunks('hello'),
      bodyBytes,
    });
    expect(error.code).toBe('OUTBOUND_FAILED');
    expect(error.message).toContain('its body does not have the stated length');
  });

  test('may be empty', async () => {
    const { body } = await send(await anEcho(), { body: chunks(), bodyBytes: 0 });
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ length: '0', body: '' });
  });

  test('that breaks fails the request, and the server receives nothing complete', async () => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<boolean>();
    const url = await aServer((request) => {
      request.on('data', () => begun.resolve()).on('error', () => {});
      request.on('close', () => ended.resolve(request.complete));
    });
    const broken = new AppError(FILE_CHANGED, { name: 'a.txt' });
    const body = async function* () {
      yield Buffer.from('hel');
      await begun.promise;
      throw broken;
    };
    expect(await outcomeOf(send(url, { body: body(), bodyBytes: 5 }))).toBe(broken);
    expect(await ended.promise).toBe(false);
  });

  test('that breaks with its own error fails with that error as the cause', async () => {
    const cause = new Error('hunter2');
    const body = async function* () {
      yield Buffer.from('hel');
      throw cause;
    };
    const error = await failureOf(client, await anEcho(), { method: 'POST', body: body() });
    expect(error).toMatchObject({ code: 'OUTBOUND_FAILED', cause });
    expect(error.message).not.toContain('hunter2');
  });

  test('is closed unread once a response came', async () => {
    const url = await aServer((_request, response) => response.writeHead(413).end('too much'));
    const { body, closed } = endless();
    const answer = await send(url, { body });
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([413, 'too much']);
    await closed;
  });

  test('is closed when time is up', async () => {
    const url = await aServer((request) => request.resume());
    const { body, closed } = endless();
    const error = await failureOf(client, url, { method: 'POST', body, timeoutMs: 50 });
    expect(error.code).toBe('OUTBOUND_TIMEOUT');
    await closed;
  });

  test('waits for a slow receiver', async () => {
    const arrived = Promise.withResolvers<IncomingMessage>();
    const url = await aServer((request, response) => {
      request.on('end', () => response.end());
      arrived.resolve(request);
    });
    let sent = 0;
    const body = async function* () {
      for (; sent < 2_000; sent++) yield Buffer.alloc(10_000);
    };
    const sending = send(url, { body: body(), timeoutMs: 600_000 });
    const request = await arrived.promise;
    let before = -1;
    // Until the buffers of both sockets are full.
    while (sent !== before || sent === 0) {
      before = sent;
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(2_000);
    request.resume();
    expect((await sending).status).toBe(200);
    expect(sent).toBe(2_000);
  });

  test.each([307, 308])('is not sent again after a redirect with %d', async (status) => {
    const url = await aServer((request, response) =>
      request.resume().on('end', () => response.writeHead(status, { location: '/other' }).end()),
    );
    const error = await failureOf(client, url, { method: 'POST', body: chunks('hello') });
    expect(error.code).toBe('OUTBOUND_FAILED');
    expect(error.message).toContain('it redirects, and a streamed body cannot be sent again');
  });

  test('is not needed after a redirect that asks for a GET', async () => {
    const url = await aServer((request, response) =>
      request.url === '/'
        ? request.resume().on('end', () => response.writeHead(303, { location: '/other' }).end())
        : response.end(request.method),
    );
    const { body } = await send(url, { body: chunks('hello') });
    expect(Buffer.from(body).toString()).toBe('GET');
  });

  test('is not sent to a private address', async () => {
    const { body } = endless();
    const error = await failureOf(createHttpClient(), 'http://127.0.0.1/', { method: 'POST', body });
    expect(error.code).toBe('OUTBOUND_REFUSED');
  });
});

describe('a streamed response', () => {
  test('gives its status and headers before its body', async () => {
    let finish = () => {};
    const url = await aServer((_request, response) => {
      response.writeHead(404, { 'x-a': 'b' }).write('hel');
      finish = () => response.end('lo');
    });
    const { status, headers, body, stream } = await get(url);
    expect([status, headers['x-a'], body.byteLength]).toEqual([404, 'b', 0]);
    finish();
    expect((await buffer(stream)).toString()).toBe('hello');
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is decoded: %s', async (encoding, encode) => {
    const url = await aServer((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(encode(Buffer.alloc(1_000_000))),
    );
    const { stream, headers } = await get(url);
    expect(await buffer(stream)).toHaveLength(1_000_000);
    expect(headers).not.toHaveProperty('content-encoding');
    const limited = await get(url, { maxResponseBytes: 999_999 });
    expect(await outcomeOf(buffer(limited.stream))).toMatchObject({ code: 'OUTBOUND_TOO_LARGE' });
  });

  test.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['not what it says', () => Buffer.from('plain')],
  ])('that is encoded and %s fails', async (_case, spoil) => {
    const encoded = gzipSync(Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * index) % 251)));
    const url = await aServer((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(spoil(encoded)),
    );
    const { stream } = await get(url);
    expect(await outcomeOf(buffer(stream))).toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: expect.stringContaining('the body does not match its content encoding'),
    });
  });

  test.each(['identity', 'gzip'])('that is cut off (%s) fails, however much was read', async (encoding) => {
    const url = await aServer((_request, response) => {
      const bytes = gzipSync(Buffer.alloc(1_000));
      response.writeHead(200, { 'content-length': '1000', 'content-encoding': encoding });
      response.write(bytes, () => response.destroy());
    });
    const { stream } = await get(url);
    expect(await outcomeOf(buffer(stream))).toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: expect.stringContaining('the connection was closed before the answer was complete'),
    });
  });

  test('may take no longer than the whole exchange', async () => {
    const url = await aServer((_request, response) => {
      response.write('hel');
    });
    // On a busy machine the time may be up before the response begins.
    const read = async () => buffer((await get(url, { timeoutMs: 50 })).stream);
    expect(await outcomeOf(read())).toMatchObject({ code: 'OUTBOUND_TIMEOUT' });
  });

  test('that is not read is closed when time is up, and harms nothing', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await aServer((_request, response) => {
      response.write('hel');
      closed = once(response, 'close');
    });
    const { signal } = new AbortController();
    await outcomeOf(get(url, { timeoutMs: 50, signal }));
    await closed;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test.each(['identity', 'gzip'])('that is not read to its end (%s) is closed', async (encoding) => {
    let closed: Promise<unknown> | undefined;
    const url = await aServer((_request, response) => {
      closed = once(response, 'close');
      response.writeHead(200, { 'content-encoding': encoding }).write(gzipSync(Buffer.alloc(100_000)));
    });
    const { stream } = await get(url);
    for await (const _chunk of stream) break;
    await closed;
  });

  test('ends with the signal of its request', async () => {
    const url = await aServer((_request, response) => {
      response.write('hel');
    });
    const controller = new AbortController();
    const { stream } = await get(url, { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await outcomeOf(buffer(stream))).toBe(reason);
  });

  test('can be streamed into another request', async () => {
    const source = await aServer((_request, response) => response.end('hello'));
    const { stream } = await get(source);
    const { body } = await send(await anEcho(), { body: stream });
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ body: 'hello' });
  });
});
