import type { OutboundRequest } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { aLocalServer, type LocalServer, type Routes, redirectTo } from '../../support/a-local-server.ts';
import { anOutboundRequest, failureOf } from '../../support/an-outbound-request.ts';

let other: LocalServer;
let server: LocalServer;
const done: Routes[string] = (_request, response) => response.end('done');

/** `/to?<status>:<location>` answers with that redirect. */
const redirectAsAsked: Routes[string] = (request, response) => {
  const [, status = '', location = ''] = /\?(\d+):(.*)$/.exec(request.url) ?? [];
  redirectTo(Number(status), decodeURIComponent(location))?.(request, response);
};

beforeAll(async () => {
  other = await aLocalServer({ '/done': done });
  server = await aLocalServer({
    '/done': done,
    '/to': redirectAsAsked,
    '/loop': redirectTo(302, '/loop'),
    '/3': redirectTo(302, '/2'),
    '/2': redirectTo(301, '1'),
    '/1': redirectTo(307, '/done?x#y'),
    '/nowhere': (_request, response) => response.writeHead(302).end('no location'),
    '/not-modified': redirectTo(304, '/done'),
    '/multiple': redirectTo(300, '/done'),
    '/large': (_request, response) =>
      response.writeHead(302, { location: '/done' }).end(Buffer.alloc(100_000)),
  });
});
afterAll(() => Promise.all([server.close(), other.close()]));

const client = createHttpClient({ allow: ['127.0.0.1'] });
const to = (status: number, location: string) => `/to?${status}:${encodeURIComponent(location)}`;
const get = (path: string, changes: Partial<OutboundRequest> = {}) =>
  client.request(anOutboundRequest(`${server.origin}${path}`, changes));
const fail = (path: string, changes: Partial<OutboundRequest> = {}) =>
  failureOf(client, `${server.origin}${path}`, changes);

describe('a redirect', () => {
  const post = { method: 'POST', headers: { 'content-type': 'text/plain', 'x-a': 'b' }, body: 'text' };

  test.each([301, 302, 303, 307, 308])('%d is followed, and the final URL is returned', async (status) => {
    const answer = await get(to(status, '/done?q=1'));
    expect(answer).toMatchObject({ status: 200, url: `${server.origin}/done?q=1` });
    expect(server.received.at(-1)).toMatchObject({ method: 'GET', url: '/done?q=1' });
  });

  test.each([301, 302, 303])('%d turns a POST into a GET without a body', async (status) => {
    await get(to(status, '/done'), post);
    const received = server.received.at(-1);
    expect(received).toMatchObject({ method: 'GET', body: '', headers: { 'x-a': 'b' } });
    expect(received?.headers).not.toHaveProperty('content-type');
    expect(received?.headers).not.toHaveProperty('content-length');
  });

  test.each([307, 308])('%d repeats a POST unchanged', async (status) => {
    await get(to(status, '/done'), post);
    expect(server.received.at(-1)).toMatchObject({
      method: 'POST',
      body: 'text',
      headers: { 'content-type': 'text/plain', 'content-length': '4', 'x-a': 'b' },
    });
  });

  test.each([
    [301, 'PUT', 'text'],
    [302, 'PATCH', 'text'],
    [307, 'DELETE', 'text'],
  ])('%d leaves a %s unchanged', async (status, method, body) => {
    await get(to(status, '/done'), { ...post, method });
    expect(server.received.at(-1)).toMatchObject({ method, body });
  });

  test('303 turns a PUT into a GET, and leaves HEAD unchanged', async () => {
    await get(to(303, '/done'), { ...post, method: 'PUT' });
    expect(server.received.at(-1)).toMatchObject({ method: 'GET', body: '' });
    await get(to(303, '/done'), { method: 'HEAD' });
    expect(server.received.at(-1)).toMatchObject({ method: 'HEAD' });
  });

  test.each(['/nowhere', '/not-modified', '/multiple'])(
    '%s is not a redirect but a response',
    async (path) => {
      const answer = await get(path);
      expect(answer.url).toBe(`${server.origin}${path}`);
      expect(answer.status).toBeGreaterThanOrEqual(300);
    },
  );

  test('has a body that is not read', async () => {
    expect(await get('/large', { maxResponseBytes: 10 })).toMatchObject({ status: 200 });
  });
});

describe('the number of redirects', () => {
  test('up to the limit are followed', async () => {
    expect(await get('/3', { maxRedirects: 3 })).toMatchObject({ url: `${server.origin}/done?x#y` });
  });

  test('one more is a failure', async () => {
    expect(await fail(to(302, to(302, '/done')), { maxRedirects: 1 })).toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: `GET 127.0.0.1:${server.port} failed: it redirected more than 1 times.`,
    });
  });

  test('ends a loop', async () => {
    const before = server.received.length;
    expect((await fail('/loop', { maxRedirects: 4 })).message).toContain('it redirected more than 4 times');
    expect(server.received.length - before).toBe(5);
  });

  test('with a limit of 0 the redirect itself is the answer', async () => {
    expect(await get('/loop', { maxRedirects: 0 })).toMatchObject({
      status: 302,
      headers: { location: '/loop' },
      url: `${server.origin}/loop`,
    });
  });

  test('all of them share one time limit', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const before = server.received.length;
    const pending = get('/loop', { maxRedirects: 1_000_000, signal: controller.signal });
    while (server.received.length < before + 3) await new Promise(setImmediate);
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect((await fail('/loop', { maxRedirects: 1_000_000, timeoutMs: 50 })).code).toBe('OUTBOUND_TIMEOUT');
  });
});

describe('where a redirect may lead', () => {
  /** Only the name is allowed, not the address that it has. */
  const byName = createHttpClient({ allow: ['shop.internal'], lookup: async () => ['127.0.0.1'] });
  const failByName = (location: string) =>
    failureOf(byName, `http://shop.internal:${server.port}${to(302, location)}`);

  // holds: private-addresses-refused
  test.each([
    ['http://127.0.0.1', '127.0.0.1 is'],
    ['http://[::1]', '::1 is'],
    ['http://[::ffff:127.0.0.1]', '::ffff:7f00:1 is'],
    ['http://2130706433', '127.0.0.1 is'],
    ['//0x7f.1', '127.0.0.1 is'],
    ['http://other.internal', 'other.internal resolves to'],
  ])('not to %s', async (origin, reason) => {
    const before = other.received.length;
    const error = await failByName(`${origin}:${other.port}/done`);
    expect(error.code).toBe('OUTBOUND_REFUSED');
    expect(error.message).toContain(`${reason} an address that is not public`);
    expect(other.received).toHaveLength(before);
  });

  // holds: private-addresses-refused
  test('not to the metadata service of the cloud', async () => {
    expect((await fail(to(302, 'http://169.254.169.254/latest/meta-data/'))).code).toBe('OUTBOUND_REFUSED');
  });

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:,x'])('not to %s', async (location) => {
    const error = await fail(to(302, location));
    expect(error.code).toBe('OUTBOUND_REFUSED');
    expect(error.message).toContain('only http and https');
  });

  test('not to a URL with credentials, which are not quoted', async () => {
    const error = await fail(to(302, `http://user:hunter2@127.0.0.1:${other.port}/done`));
    expect(error.code).toBe('OUTBOUND_REFUSED');
    expect(error.message).not.toContain('hunter2');
  });

  test('not to an invalid URL', async () => {
    expect(await fail(to(302, 'http://['))).toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: expect.stringContaining('it redirects to something that is not a URL'),
    });
  });
});

describe('what a redirect sends on', () => {
  const harmless = {
    accept: 'a/b',
    'accept-language': 'en',
    'content-type': 'text/plain',
    'user-agent': 'mine',
  };
  const secrets = {
    Authorization: 'Bearer hunter2',
    Cookie: 'session=hunter2',
    'X-Api-Key': 'hunter2',
    'Private-Token': 'hunter2',
    Referer: 'https://hunter2.example/',
  };
  const changes = { method: 'POST', headers: { ...secrets, ...harmless }, body: 'text' };

  test('everything within the origin', async () => {
    await get(to(307, '/done'), changes);
    expect(server.received.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer hunter2',
      cookie: 'session=hunter2',
      'x-api-key': 'hunter2',
      ...harmless,
    });
  });

  test('nothing that may be a key to another port', async () => {
    await get(to(307, `${other.origin}/done`), changes);
    const { headers = {}, body } = other.received.at(-1) ?? {};
    expect(headers).toMatchObject(harmless);
    expect(body).toBe('text');
    expect(JSON.stringify(headers)).not.toContain('hunter2');
  });

  test('nothing that may be a key to another host name of the same server', async () => {
    const named = createHttpClient({
      allow: ['a.internal', 'b.internal'],
      lookup: async () => ['127.0.0.1'],
    });
    const location = `http://b.internal:${server.port}/done`;
    await named.request(anOutboundRequest(`http://a.internal:${server.port}${to(308, location)}`, changes));
    const { headers = {}, url } = server.received.at(-1) ?? {};
    expect(url).toBe('/done');
    expect(JSON.stringify(headers)).not.toContain('hunter2');
  });

  test('a dropped header does not come back', async () => {
    const back = await aLocalServer({ '/back': redirectTo(307, `${server.origin}/done`) });
    try {
      await get(to(307, `${back.origin}/back`), changes);
      expect(server.received.at(-1)?.url).toBe('/done');
      expect(JSON.stringify(server.received.at(-1)?.headers)).not.toContain('hunter2');
    } finally {
      await back.close();
    }
  });
});
