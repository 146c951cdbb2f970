import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { foreignRequests, ownRequests } from '../../../lambda-stage/tests/support/foreign-requests.ts';
import { type Door, type DoorOptions, openDoor } from '../../serve/door.ts';
import type { PassOn } from '../../serve/pass-on.ts';

let cacheFolder: string;
beforeAll(() => {
  cacheFolder = mkdtempSync(join(tmpdir(), 'hookloom-door-'));
});
afterAll(() => rmSync(cacheFolder, { recursive: true, force: true }));

const doors: Door[] = [];
afterEach(() => Promise.all(doors.splice(0).map((door) => door.close())));

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of all others: names and values in turn. */
  readonly rawHeaders?: readonly string[];
  readonly body?: string | Buffer;
}

/** Sends a path as it is: `fetch` would change some. */
const send = async (port: number, path: string, { method = 'GET', headers = {}, ...sent }: Sent = {}) => {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    ...(sent.rawHeaders === undefined ? { headers } : { setHost: false, headers: [...sent.rawHeaders] }),
  });
  outgoing.end(sent.body);
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.once('response', resolve).once('error', reject),
  );
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
};

const open = async (options: Partial<DoorOptions> = {}) => {
  const passed: Parameters<PassOn>[0][] = [];
  const door = await openDoor({
    settings: { stage: 'production', isReadOnly: false },
    passOn: async (given) => {
      passed.push(given);
      return {
        status: 418,
        headers: new Headers({
          etag: '"3"',
          'set-cookie': 'a=b',
          'content-type': 'application/problem+json',
        }),
        body: Buffer.from('{"type":"urn:hookloom:problem:teapot"}'),
      };
    },
    cacheFolder,
    port: 0,
    ...options,
  });
  doors.push(door);
  const { port } = door;
  const address = new URL(door.toAddress('/executions/e-1'));
  const enter = async (): Promise<string> => {
    const { headers } = await send(port, `${address.pathname}${address.search}`);
    return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  };
  return { door, port, address, passed, enter };
};

/** A door, and a browser that has come in. */
const openAndEnter = async (options: Partial<DoorOptions> = {}) => {
  const opened = await open(options);
  const cookie = await opened.enter();
  const call = (path: string, { headers = {}, ...sent }: Sent = {}) =>
    send(opened.port, path, { ...sent, headers: { cookie, ...headers } });
  return { ...opened, cookie, call };
};

const API = '/api/admin/workflows';

describe('the token of a door', () => {
  test('becomes a cookie that scripts and other sites never have, and leaves the address', async () => {
    const { port, address } = await open();
    expect(address.hostname).toBe('127.0.0.1');
    const answer = await send(port, `${address.pathname}?tab=nodes&${address.search.slice(1)}`);
    expect(answer).toMatchObject({
      status: 303,
      headers: { location: '/console/executions/e-1?tab=nodes', 'cache-control': 'no-store' },
    });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^hookloom-console-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(answer.headers['set-cookie']?.[0]).not.toContain(address.searchParams.get('token'));
  });

  test('is refused when it comes again, with a page that says what to do', async () => {
    const { port, address, enter } = await open();
    await enter();
    const answer = await send(port, `${address.pathname}${address.search}`);
    expect(answer).toMatchObject({ status: 401, body: expect.stringContaining('start it again') });
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  test('may come again from the browser that has used it', async () => {
    const { address, call } = await openAndEnter();
    const answer = await call(`${address.pathname}${address.search}`);
    expect(answer).toMatchObject({ status: 303, headers: { location: '/console/executions/e-1' } });
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  test.each([['x'], [''], ['%F0%9F%98%80']])('is not %j', async (token) => {
    const { port, enter } = await open();
    expect(await send(port, `/console?token=${token}`)).toMatchObject({ status: 401 });
    expect(await enter()).not.toBe(''); // a wrong one does not use it up
  });

  test('is the token of no other door', async () => {
    const [one, other] = [await open(), await open()];
    expect(await send(other.port, `/console${one.address.search}`)).toMatchObject({ status: 401 });
  });
});

describe('without its cookie, a door', () => {
  test.each([
    ['no cookie', {}],
    ['another cookie', { cookie: 'hookloom-console-1=x' }],
  ])('shows no page and passes nothing on: %s', async (_, headers) => {
    const { port, passed, enter } = await open();
    await enter();
    expect(await send(port, '/console', { headers })).toMatchObject({
      status: 401,
      body: expect.stringContaining('This browser may not use the console'),
    });
    const asset = await send(port, '/console/assets/main.js', { headers });
    expect(asset.status).toBe(401);
    const answer = await send(port, API, { headers });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      401,
      expect.objectContaining({ type: 'urn:hookloom:problem:console-session-missing' }),
    ]);
    expect(passed).toEqual([]);
  });
});

describe('a door, with its cookie,', () => {
  test.each(foreignRequests)('refuses $case', async ({ headers, status }) => {
    const { port, cookie, passed } = await openAndEnter();
    const rawHeaders = [...headers(String(port)), 'cookie', cookie];
    expect(await send(port, API, { rawHeaders })).toMatchObject({ status });
    expect(passed).toEqual([]);
  });

  test.each(ownRequests)('passes on $case', async ({ headers }) => {
    const { port, cookie, passed } = await openAndEnter();
    await send(port, API, { rawHeaders: [...headers(String(port)), 'cookie', cookie] });
    expect(passed).toHaveLength(1);
  });

  test('passes on what the API reads, and returns what it answers', async () => {
    const { call, passed } = await openAndEnter();
    const headers = { 'if-match': '"2"', 'content-type': 'application/json', authorization: 'x', 'x-y': 'z' };
    const answer = await call(`${API}/a?dry=true`, { method: 'PUT', headers, body: '{"a":1}' });
    expect(passed).toEqual([
      {
        method: 'PUT',
        address: `${API}/a?dry=true`,
        headers: { 'if-match': '"2"', 'content-type': 'application/json' },
        body: Buffer.from('{"a":1}'),
      },
    ]);
    expect(answer).toMatchObject({
      status: 418,
      headers: { etag: '"3"', 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
      body: '{"type":"urn:hookloom:problem:teapot"}',
    });
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  test.each([
    '/api/admin',
    '/api/webhook/hello/webhook',
    '/api/admin/../webhook/hello',
    '/api/admin/%2e%2e/webhook/hello',
    '/api/admin/x/.%2E/..',
    '/api/admin/x%2f..%2f..%2fwebhook',
    '/api/admin/x%252f..%252f..%252fwebhook',
    '/api/admin/x%25252f..%25252f..%25252fwebhook',
    '/api/admin/x%2525252fy',
    '/api/admin/..\\webhook',
    '/api/admin/%5c..%5cwebhook',
    '/api/admin//evil.example/',
    '//evil.example/api/admin/x',
    'http://evil.example/api/admin/x',
    '/api/admin/%zz',
    '/api/admin/%ff',
    '/API/admin/x',
    '/elsewhere',
  ])('passes on no path outside of the admin API: %s', async (path) => {
    const { call, passed } = await openAndEnter();
    expect(await call(path)).toMatchObject({ status: 404 });
    expect(passed).toEqual([]);
  });

  test('passes on encoded values of paths and queries', async () => {
    const { call, passed } = await openAndEnter();
    await call('/api/admin/plugins/%40acme%2Fchat/x%20y?text=%2F..%2F%27');
    expect(passed).toMatchObject([{ address: '/api/admin/plugins/%40acme%2Fchat/x%20y?text=%2F..%2F%27' }]);
  });

  test.each(['HEAD', 'OPTIONS', 'TRACE'])('passes on no %s', async (method) => {
    const { call, passed } = await openAndEnter();
    expect(await call(API, { method })).toMatchObject({ status: 405 });
    expect(passed).toEqual([]);
  });

  test('has the limit of the gateway for bodies', async () => {
    const { call, passed } = await openAndEnter();
    const limit = 10 * 1024 * 1024;
    expect(await call(API, { method: 'PUT', body: Buffer.alloc(limit + 1) })).toMatchObject({ status: 413 });
    expect(passed).toEqual([]);
    await call(API, { method: 'PUT', body: Buffer.alloc(limit) });
    expect(passed).toHaveLength(1);
  });

  test('tells why the stage cannot be reached', async () => {
    const { call } = await openAndEnter({
      passOn: () => Promise.reject(new Error('The AWS credentials have expired.')),
    });
    const { status, body } = await call(API);
    expect([status, JSON.parse(body)]).toEqual([
      502,
      expect.objectContaining({ detail: 'The AWS credentials have expired.' }),
    ]);
  });

  test('serves the page, which knows its stage, and its files', async () => {
    const { call } = await openAndEnter({ settings: { stage: 'production', isReadOnly: true } });
    const page = await call('/console/workflows');
    expect(page).toMatchObject({
      status: 200,
      body: expect.stringContaining('{&quot;stage&quot;:&quot;production&quot;,&quot;isReadOnly&quot;:true,'),
    });
    const [, script = ''] = /src="([^"]+)"/.exec(page.body) ?? [];
    expect(await call(script)).toMatchObject({ status: 200 });
  }, 60_000);
});

describe('a door receives the redirect of a sign-in', () => {
  const path = '/callback?code=a&state=b';

  test('without its cookie, and from another site', async () => {
    const { port } = await open();
    const rawHeaders = ['host', `127.0.0.1:${port}`, 'sec-fetch-site', 'cross-site'];
    expect(await send(port, path, { rawHeaders })).toMatchObject({
      status: 200,
      body: expect.stringContaining('url=/console/credentials?signIn=unknown'),
    });
  });

  test('but not at a name that was pointed at this machine', async () => {
    const { port, cookie } = await openAndEnter();
    const rawHeaders = ['host', `evil.example:${port}`, 'cookie', cookie];
    expect(await send(port, path, { rawHeaders })).toMatchObject({ status: 421 });
  });

  test('and is not kept open by it', async () => {
    const { door, port } = await open({ idleMs: 300 });
    const knocking = setInterval(() => void send(port, path).catch(() => {}), 20);
    await door.idle;
    clearInterval(knocking);
  });
});

// holds: read-only-console
test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('a door that is read-only refuses %s', async (method) => {
  const { call, passed } = await openAndEnter({ settings: { stage: 'production', isReadOnly: true } });
  const { status, body } = await call(`${API}/a`, { method });
  expect([status, JSON.parse(body)]).toEqual([
    403,
    expect.objectContaining({ type: 'urn:hookloom:problem:console-read-only' }),
  ]);
  expect(passed).toEqual([]);
  await call(API);
  expect(passed).toHaveLength(1);
});

test.each(['approvals/addresses', 'plugins/health/live'])(
  'a door that is read-only gives nobody %s',
  async (path) => {
    const { call, passed } = await openAndEnter({ settings: { stage: 'production', isReadOnly: true } });
    expect((await call(`/api/admin/${path}`, { method: 'POST' })).status).toBe(403);
    expect(passed).toEqual([]);
  },
);

test.each(['validate', 'evaluate'])(
  'a door that is read-only passes on %s, which stores nothing',
  async (path) => {
    const { call, passed } = await openAndEnter({ settings: { stage: 'production', isReadOnly: true } });
    await call(`${API}/${path}`, { method: 'POST' });
    expect(passed).toHaveLength(1);
    for (const address of [`${API}/${path}?a`, `${API}/try`, API])
      expect((await call(address, { method: 'POST' })).status).toBe(403);
    expect(passed).toHaveLength(1);
  },
);

describe('a door that nobody uses', () => {
  test('closes itself', async () => {
    const { door, port } = await open({ idleMs: 50 });
    await door.idle;
    await expect(send(port, '/console')).rejects.toThrow('ECONNREFUSED');
  });

  test('is not kept open by requests without its cookie', async () => {
    const { door, port } = await open({ idleMs: 300 });
    const knocking = setInterval(() => void send(port, '/console').catch(() => {}), 20);
    await door.idle;
    clearInterval(knocking);
  });

  test('stays open while its user sends requests', async () => {
    const { door, call } = await openAndEnter({ idleMs: 1_500 });
    let isIdle = false;
    void door.idle.then(() => {
      isIdle = true;
    });
    for (let times = 0; times < 5; times++) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await call(API);
    }
    expect(isIdle).toBe(false);
  });
});

test('a door is on the loopback interface alone, and fails when its port is in use', async () => {
  const { port } = await open();
  await expect(open({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', address: '127.0.0.1' });
});
