import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { aLocalServer, type Routes } from '../../../tests/support/a-local-server.ts';
import { aManualClock, type ManualClock } from '../../../tests/support/a-manual-clock.ts';
import { anAdminApi } from '../../../tests/support/an-admin-api.ts';
import {
  anAuthorizationServer,
  CLIENT_SECRET,
  type Decision,
} from '../../../tests/support/an-authorization-server.ts';
import { useTestDatabases } from '../../../tests/support/test-database.ts';
import { openDoor } from '../serve/door.ts';
import type { PassOn } from '../serve/pass-on.ts';
import { createSignIns } from '../serve/sign-ins.ts';

const openDatabase = useTestDatabases();
const opened: { close(): Promise<void> }[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const aFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-sign-ins-'));
  folders.push(folder);
  return folder;
};

/** The admin API of a stage with a credential `mail`. */
const anApi = async (fields: object, { type = 'oauth2', secrets = {} } = {}) => {
  const { endpoint } = await openDatabase();
  const folder = aFolder();
  const ask = anAdminApi({ DYNAMODB_ENDPOINT: endpoint, SECRETS_FOLDER: folder });
  const passed: string[] = [];
  const passOn: PassOn = async ({ method, address, headers, body }) => {
    passed.push(`${method} ${address}`);
    const given = body === undefined ? {} : { body: Buffer.from(body).toString() };
    const answer = await ask(method, address, { headers, ...given });
    const answered = new Headers(answer.headers as Record<string, string>);
    return { status: answer.status, headers: answered, body: Buffer.from(JSON.stringify(answer.body)) };
  };
  const body = { type, fields, secrets, hosts: ['api.example.com'] };
  expect((await ask('PUT', '/api/admin/credentials/mail', { body })).status).toBe(201);
  const secret = () => JSON.parse(readFileSync(join(folder, 'mail'), 'utf8'));
  return { passOn, passed, secret };
};

type Fields = ReturnType<Awaited<ReturnType<typeof anAuthorizationServer>>['fields']>;

const STATE = '/console/workflows/a/edit?panel=run';

/** A door to a stage, the browser that uses it, and a certified server to sign in at. */
const aDoor = async ({
  isReadOnly = false,
  change = (fields) => fields,
}: {
  readonly isReadOnly?: boolean;
  readonly change?: (fields: Omit<Fields, 'testUrl'>) => object;
} = {}) => {
  const server = await anAuthorizationServer();
  const { testUrl: _none, ...fields } = server.fields();
  const { passOn, passed, secret } = await anApi(change(fields));
  const settings = { stage: 'production', isReadOnly };
  const door = await openDoor({ settings, passOn, cacheFolder: aFolder(), port: 0 });
  opened.push(server, door);
  const origin = `http://127.0.0.1:${door.port}`;
  const entered = await fetch(door.toAddress(''), { redirect: 'manual' });
  const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const post = async (path: string, body: unknown = {}, headers: Record<string, string> = { cookie }) => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer = (await response.json()) as Readonly<Record<string, string>>;
    return { status: response.status, headers: response.headers, body: answer };
  };
  const start = (changes: object = {}) =>
    post('/console/sign-ins', {
      credentialId: 'mail',
      clientSecret: CLIENT_SECRET,
      returnTo: STATE,
      ...changes,
    });
  /** What a browser does: it goes to the address and comes back. */
  const signIn = async (decision: Decision = 'allow', changes: object = {}) => {
    const { body } = await start(changes);
    return readReturn(await server.visit(body.address ?? '', decision));
  };
  const finish = (id: string) => post(`/console/sign-ins/${id}/finish`);
  return { server, origin, cookie, post, start, signIn, finish, passOn, passed, secret };
};

/** Where a page of the redirect leads: the place, and the id of the sign-in. */
const readReturn = async (response: Response) => {
  const [, to = ''] = /content="0;url=([^"]+)"/.exec(await response.text()) ?? [];
  const address = new URL(to.replaceAll('&amp;', '&'), 'http://console');
  const id = address.searchParams.get('signIn') ?? '';
  address.searchParams.delete('signIn');
  return { to: `${address.pathname}${address.search}`, id, response };
};

describe('a sign-in in the console', () => {
  test('ends where the tab began, and stores what the server has granted', async () => {
    const { origin, start, server, finish, secret } = await aDoor();
    const started = await start();
    expect([started.status, Object.keys(started.body)]).toEqual([201, ['address']]);
    const address = new URL(started.body.address ?? '');
    expect(address.searchParams.get('redirect_uri')).toBe(`${origin}/callback`);
    expect(JSON.stringify(started.body)).not.toContain(CLIENT_SECRET);
    const { to, id, response } = await readReturn(await server.visit(address.href));
    expect(to).toBe(STATE);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    });
    expect(secret()).toEqual({});
    const finished = await finish(id);
    expect([finished.status, finished.body]).toEqual([200, { credentialId: 'mail' }]);
    expect(secret()).toEqual({ clientSecret: CLIENT_SECRET, refreshToken: server.granted[0]?.refreshToken });
  });

  test('is exchanged and stored once, however often the page asks', async () => {
    const { signIn, finish, server, passed } = await aDoor();
    const { id } = await signIn();
    const answers = await Promise.all([finish(id), finish(id)]);
    answers.push(await finish(id));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(server.granted).toHaveLength(1);
    expect(passed).toEqual(['GET /api/admin/credentials/mail', 'POST /api/admin/credentials/mail/rotate']);
  });

  test('of a person who refuses stores nothing', async () => {
    const { signIn, finish, secret } = await aDoor();
    const { to, id } = await signIn('deny');
    expect(to).toBe(STATE);
    expect(await finish(id)).toMatchObject({
      status: 422,
      body: {
        title: 'Not signed in',
        detail: 'The server did not grant the sign-in: access_denied. Nothing was stored.',
      },
    });
    expect(secret()).toEqual({});
  });

  test('with a wrong client secret stores nothing', async () => {
    const { signIn, finish, secret } = await aDoor();
    const { id } = await signIn('allow', { clientSecret: 'another-secret' });
    expect(await finish(id)).toMatchObject({
      status: 422,
      body: {
        detail: expect.stringMatching(/^POST 127\.0\.0\.1:\d+: invalid_client\. Nothing was stored\.$/),
      },
    });
    expect(secret()).toEqual({});
  });

  test('for a credential that was removed meanwhile is refused as the API refuses it', async () => {
    const { signIn, finish, passOn } = await aDoor();
    const { id } = await signIn();
    await passOn({ method: 'DELETE', address: '/api/admin/credentials/mail', headers: {} });
    expect(await finish(id)).toMatchObject({
      status: 404,
      body: { type: 'urn:hookloom:problem:credential-not-found' },
    });
  });

  test('with a wrong state ends where the tab began, by its cookie, and stores nothing', async () => {
    const { origin, start, finish, secret } = await aDoor();
    const { headers } = await start();
    const [line = ''] = headers.getSetCookie();
    expect(line).toMatch(
      /^hookloom-sign-in-\d+=[\w-]{43}; Path=\/callback; Max-Age=300; HttpOnly; SameSite=Lax$/,
    );
    const cookie = line.split(';')[0] ?? '';
    const callback = `${origin}/callback?code=stolen&state=guessed`;
    const { to, id } = await readReturn(await fetch(callback, { headers: { cookie } }));
    expect(to).toBe(STATE);
    expect(await finish(id)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('wrong state') },
    });
    expect(secret()).toEqual({});
  });

  test.each(['code=stolen&state=guessed', 'error=access_denied', 'code=a'])(
    'continues when a page opens the address of the redirect with %s',
    async (query) => {
      const { origin, start, server, finish, secret } = await aDoor();
      const { headers, body } = await start();
      const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const opened = await readReturn(await fetch(`${origin}/callback?${query}`, { headers: { cookie } }));
      expect((await finish(opened.id)).status).toBe(422);
      const { id } = await readReturn(await server.visit(body.address ?? ''));
      expect((await finish(id)).status).toBe(200);
      expect(secret()).toMatchObject({ refreshToken: server.granted[0]?.refreshToken });
    },
  );

  test('that the console does not know leads to the credentials, and to a reason', async () => {
    const { origin, finish } = await aDoor();
    const { to, id } = await readReturn(await fetch(`${origin}/callback?code=a&state=b`));
    expect(to).toBe('/console/credentials');
    expect(await finish(id)).toMatchObject({
      status: 404,
      body: { title: 'Not signed in', detail: expect.stringContaining('Nothing was stored') },
    });
  });

  test('is not finished before the redirect', async () => {
    const { start, finish } = await aDoor();
    const { headers } = await start();
    const [, id = ''] = /=([\w-]{43});/.exec(headers.getSetCookie()[0] ?? '') ?? [];
    expect((await finish(id)).status).toBe(404);
  });

  test.each([
    ['https://evil.example/console/x', '/console/x'],
    ['//evil.example/console/x', '/console/x'],
    ['/api/admin/workflows', '/console/credentials'],
    ['/console/../api', '/console/credentials'],
    ['/consolex', '/console/credentials'],
    ['javascript:alert(1)', '/console/credentials'],
    ['/console/a?b="><script>', '/console/a?b=%22%3E%3Cscript%3E'],
    ['http://[', '/console/credentials'],
  ])('comes back to no place but the console: %s', async (returnTo, expected) => {
    const { signIn } = await aDoor();
    expect((await signIn('allow', { returnTo })).to).toBe(expected);
  });

  test('receives the redirect without the cookie of the door, and from another site', async () => {
    const { origin, start, server } = await aDoor();
    const state = new URL((await start()).body.address ?? server.origin).searchParams.get('state');
    const headers = { 'sec-fetch-site': 'cross-site' };
    const response = await fetch(`${origin}/callback?state=${state}&code=a`, { headers });
    expect((await readReturn(response)).to).toBe(STATE);
  });

  test.each([
    ['without the cookie of the door', {}, 401],
    ['from another origin', { origin: 'https://evil.example' }, 403],
  ])('is neither begun nor finished %s', async (_case, headers, status) => {
    const { post, signIn, secret, cookie } = await aDoor();
    const given = status === 401 ? {} : { cookie, ...headers };
    const { id } = await signIn();
    expect((await post('/console/sign-ins', {}, given)).status).toBe(status);
    expect((await post(`/console/sign-ins/${id}/finish`, {}, given)).status).toBe(status);
    expect(secret()).toEqual({});
  });

  test('is refused by a console that is read-only', async () => {
    const { start, passed } = await aDoor({ isReadOnly: true });
    expect(await start()).toMatchObject({
      status: 403,
      body: { type: 'urn:hookloom:problem:console-read-only' },
    });
    expect(passed).toEqual([]);
  });

  test.each([
    ['no JSON', '{', 400],
    ['an id that is a number', { credentialId: 7 }, 400],
    ['a body that is too large', { credentialId: 'mail', clientSecret: 'x'.repeat(17_000) }, 400],
    ['a credential that does not exist', { credentialId: 'none' }, 404],
    ['an id that would be a path', { credentialId: '../workflows' }, 400],
  ])('is refused for %s', async (_case, body, status) => {
    const { post } = await aDoor();
    expect((await post('/console/sign-ins', body)).status).toBe(status);
  });

  test.each([
    ['without an address to sign in at', { authorizationUrl: undefined }, 'has no authorizationUrl'],
    ['of another grant', { grant: 'clientCredentials' }, 'mail needs no sign-in'],
  ])('is refused for a credential %s', async (_case, changes, detail) => {
    const { start } = await aDoor({ change: (fields) => ({ ...fields, ...changes }) });
    expect(await start()).toMatchObject({ status: 422, body: { detail: expect.stringContaining(detail) } });
  });
});

type Token = Routes[string];

const json =
  (body: unknown, status = 200): Token =>
  (_request, response) =>
    void response.writeHead(status).end(JSON.stringify(body));

const HOST = ['host', '127.0.0.1:4321'];

/** Sign-ins at a server that does what no server should, and a clock that stands still. */
const aLiar = async (token: Token, clock: ManualClock = aManualClock()) => {
  const server = await aLocalServer({ '/token': token });
  opened.push(server);
  const { passOn, secret } = await anApi({
    grant: 'authorizationCode',
    authorizationUrl: `${server.origin}/authorize`,
    tokenUrl: `${server.origin}/token`,
    clientId: 'shop',
  });
  const signIns = createSignIns({ passOn, isReadOnly: false, clock });
  const post = async (url: string, body: object = {}) => {
    const readBody = async () => Buffer.from(JSON.stringify(body));
    const request = { method: 'POST', url, rawHeaders: HOST, port: 4321, readBody };
    const answer = await signIns.answerCall(request);
    const answered = JSON.parse(Buffer.from(answer?.body ?? []).toString()) as Record<string, string>;
    return { status: answer?.status, body: answered };
  };
  const start = async (): Promise<string> => {
    const { body } = await post('/console/sign-ins', { credentialId: 'mail', clientSecret: CLIENT_SECRET });
    return new URL(body.address ?? '').searchParams.get('state') ?? '';
  };
  const comeBack = async (state: string, code = 'code-1'): Promise<string> => {
    const url = `/callback?code=${code}&state=${state}`;
    const answer = signIns.answerRedirect({ method: 'GET', url, rawHeaders: HOST, port: 4321 });
    return (await readReturn(new Response(Buffer.from(answer?.body ?? [])))).id;
  };
  const finish = (id: string) => post(`/console/sign-ins/${id}/finish`);
  return { clock, start, comeBack, finish, secret };
};

describe('a sign-in whose server', () => {
  test.each<[string, Token, string]>([
    ['answers without a token', json({ ok: true }), 'it answered 200 without a token'],
    ['answers no JSON', (_, response) => void response.end('<html>'), 'without a token'],
    ['lies about its status', json({ ok: false, error: 'bad_redirect_uri' }), 'bad_redirect_uri'],
    ['fails', json({ error: '<b>' }, 500), 'it answered 500 without a token'],
    ['sends too much', json({ access_token: 'x'.repeat(70_000) }), 'more than 65536 bytes'],
    ['breaks off', (_, response) => void response.destroy(), 'it could not be asked'],
    ['sends no refresh token', json({ access_token: 'access-1', expires_in: 60 }), 'no refresh token'],
  ])('%s stores nothing, and says so', async (_case, token, detail) => {
    const { start, comeBack, finish, secret } = await aLiar(token);
    expect(await finish(await comeBack(await start()))).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining(detail) },
    });
    expect(secret()).toEqual({});
  });

  test('hangs ends after ten seconds', async () => {
    const asked = Promise.withResolvers<void>();
    const { clock, start, comeBack, finish, secret } = await aLiar(() => asked.resolve());
    const finishing = finish(await comeBack(await start()));
    await asked.promise;
    clock.advance(10_000);
    expect(await finishing).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('did not answer within 10 seconds') },
    });
    expect(secret()).toEqual({});
  });
});

const granting = json({ access_token: 'access-1', expires_in: 600, refresh_token: 'refresh-1' });

describe('a sign-in expires', () => {
  test.each([
    ['five minutes after it began', 300_000, 404],
    ['not before', 299_999, 200],
  ])('%s', async (_case, ms, status) => {
    const { clock, start, comeBack, finish } = await aLiar(granting);
    const state = await start();
    clock.advance(ms);
    expect((await finish(await comeBack(state))).status).toBe(status);
  });

  test('not before the page had five minutes to ask, after the redirect', async () => {
    const { clock, start, comeBack, finish } = await aLiar(granting);
    const state = await start();
    clock.advance(299_999);
    const id = await comeBack(state);
    clock.advance(299_999);
    expect((await finish(id)).status).toBe(200);
  });

  test('five minutes after its redirect, if the page never asks', async () => {
    const { clock, start, comeBack, finish, secret } = await aLiar(granting);
    const id = await comeBack(await start());
    clock.advance(300_000);
    expect((await finish(id)).status).toBe(404);
    expect(secret()).toEqual({});
  });

  test('when twenty later ones began', async () => {
    const { start, comeBack, finish } = await aLiar(granting);
    const first = await start();
    const second = await start();
    for (let count = 0; count < 19; count++) await start();
    expect((await finish(await comeBack(first))).status).toBe(404);
    expect((await finish(await comeBack(second))).status).toBe(200);
  });
});

test('a redirect that names another issuer than the server that was asked grants nothing', async () => {
  const { start, comeBack, finish, secret } = await aLiar(granting);
  const id = await comeBack(await start(), 'code-1&iss=https://evil.example');
  expect(await finish(id)).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('unexpected "iss"') },
  });
  expect(secret()).toEqual({});
});

test('the first redirect of a sign-in counts', async () => {
  const codes: (string | null)[] = [];
  const { start, comeBack, finish } = await aLiar((request, response) => {
    codes.push(new URLSearchParams(request.body).get('code'));
    granting(request, response);
  });
  const state = await start();
  const id = await comeBack(state);
  expect(await comeBack(state, 'code-2')).toBe(id);
  expect((await finish(id)).status).toBe(200);
  expect(codes).toEqual(['code-1']);
});

test('the token endpoint is asked where the credential says, and nowhere else', async () => {
  const other = await aLocalServer({ '/token': granting });
  opened.push(other);
  const { start, comeBack, finish } = await aLiar((_, response) => {
    response.writeHead(307, { location: `${other.origin}/token` }).end();
  });
  const refused = await finish(await comeBack(await start()));
  expect(refused.body.detail).toContain('it answered 307 without a token');
  expect(other.received).toEqual([]);
});
