import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aLocalServer, type Routes } from '../../../tests/support/a-local-server.ts';
import {
  type AuthorizationServer,
  anAuthorizationServer,
  CLIENT_SECRET,
  type Decision,
} from '../../../tests/support/an-authorization-server.ts';

const openCommandLine = useCommandLine();
const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

type Token = Routes[string];

/** The browser's way from the address to the redirect: what the person there does with the state, and what is sent back. */
type Visit = (address: URL) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

const granting = ({ searchParams }: URL) => ({
  code: 'code-1',
  state: searchParams.get('state') ?? '',
});

const json =
  (body: unknown, status = 200): Token =>
  (_request, response) =>
    void response.writeHead(status).end(JSON.stringify(body));

/** The command line with a credential `mail`, the server that it signs in to, and a person with a browser. */
const aSignIn = async ({
  fields,
  browse = () => {},
  clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) },
}: {
  readonly fields: Readonly<Record<string, string>>;
  readonly browse?: (address: string) => void;
  readonly clock?: NonNullable<Parameters<typeof openCommandLine>[0]>['clock'];
}) => {
  const line = await openCommandLine({ browse, ...(clock === undefined ? {} : { clock }) });
  const given = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const created = await line.call([
    'credential',
    'create',
    'mail',
    '--type',
    'oauth2',
    '--host',
    'api.example.com',
    '--field',
    ...given,
  ]);
  expect(created).toEqual({
    code: 0,
    out: '',
    err: expect.stringContaining('sign in with credential connect mail'),
  });
  const secret = () => JSON.parse(readFileSync(join(line.secretsFolder, 'mail'), 'utf8'));
  return { ...line, secret };
};

/** Signs in to a certified server. */
const aRealSignIn = async (
  clientId: Parameters<AuthorizationServer['fields']>[0] = 'shop',
  decision: Decision = 'allow',
) => {
  const server = await anAuthorizationServer();
  servers.push(server);
  const pages: Promise<Response>[] = [];
  const { testUrl: _none, ...fields } = server.fields(clientId);
  const browse = (address: string) => void pages.push(server.visit(address, decision));
  return { ...(await aSignIn({ fields, browse })), server, pages };
};

/** Signs in to a server that does what no server should. */
const aLiedSignIn = async ({
  token = json({ access_token: 'access-1', expires_in: 600, refresh_token: 'refresh-1' }),
  visit = granting,
  clock,
}: {
  readonly token?: Token;
  readonly visit?: Visit | null;
  readonly clock?: NonNullable<Parameters<typeof openCommandLine>[0]>['clock'];
} = {}) => {
  const server = await aLocalServer({ '/token': token });
  servers.push(server);
  const browse = async (address: string) => {
    if (visit === null) return;
    const query = new URLSearchParams(await visit(new URL(address)));
    await fetch(`${new URL(address).searchParams.get('redirect_uri')}?${query}`);
  };
  const { origin } = server;
  const fields = {
    grant: 'authorizationCode',
    authorizationUrl: `${origin}/authorize`,
    tokenUrl: `${origin}/token`,
    clientId: 'shop',
    scope: 'mail',
  };
  return { ...(await aSignIn({ fields, browse, ...(clock === undefined ? {} : { clock }) })), server };
};

describe('credential connect', () => {
  test('signs in with PKCE, stores the refresh token and shows no secret', async () => {
    const { call, browsed, server, pages, secret } = await aRealSignIn();
    const { code, out, err } = await call('credential connect mail', `${CLIENT_SECRET}\n`);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    const address = new URL(browsed[0] ?? '');
    expect(Object.fromEntries(address.searchParams)).toEqual({
      prompt: 'consent',
      response_type: 'code',
      client_id: 'shop',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      scope: 'openid offline_access',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const [granted] = server.granted;
    expect(granted?.authorization).toBe(`Basic ${Buffer.from(`shop:${CLIENT_SECRET}`).toString('base64')}`);
    expect(secret()).toEqual({ clientSecret: CLIENT_SECRET, refreshToken: granted?.refreshToken });
    expect(err).toContain(address.href);
    expect(err).toContain('mail: connected');
    for (const hidden of [granted?.refreshToken, CLIENT_SECRET, granted?.form.code])
      expect(err).not.toContain(String(hidden));
    expect((await pages[0])?.status).toBe(200);
    expect((await call('credential show mail --json')).out).not.toContain(String(granted?.refreshToken));
  });

  test.each(['shop-body', 'phone'] as const)('identifies the app %s in the body', async (clientId) => {
    const { call, server, secret } = await aRealSignIn(clientId);
    const clientSecret = clientId === 'phone' ? '' : CLIENT_SECRET;
    const { code, err } = await call('credential connect mail', clientSecret);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('mail: connected') });
    expect(server.granted[0]?.authorization).toBeUndefined();
    expect(server.granted[0]?.form.client_id).toBe(clientId);
    expect(secret()).toEqual({ clientSecret, refreshToken: expect.any(String) });
  });

  test('stores nothing when the person refuses', async () => {
    const { call, secret, pages } = await aRealSignIn('shop', 'deny');
    const { code, err } = await call('credential connect mail', CLIENT_SECRET);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('did not grant the sign-in: access_denied. Nothing was stored.'),
    });
    expect((await pages[0])?.status).toBe(400);
    expect(secret()).toEqual({});
  });

  test('stores nothing when the client secret is wrong', async () => {
    const { call, secret } = await aRealSignIn();
    const { code, err } = await call('credential connect mail', 'another-secret');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/invalid_client. Nothing was stored/),
    });
    expect(secret()).toEqual({});
  });

  test('signs in again after a revocation', async () => {
    const { call, server, secret } = await aRealSignIn();
    await call('credential connect mail', CLIENT_SECRET);
    const first = secret().refreshToken;
    await server.revoke();
    expect((await call('credential connect mail', CLIENT_SECRET)).code).toBe(0);
    expect(secret().refreshToken).not.toBe(first);
  });

  test('keeps an access token that never expires', async () => {
    const { call, secret } = await aLiedSignIn({ token: json({ access_token: 'forever-1' }) });
    expect((await call('credential connect mail')).code).toBe(0);
    expect(secret()).toEqual({ clientSecret: '', refreshToken: '', accessToken: 'forever-1' });
  });

  const aHugeToken = json({ access_token: 'x'.repeat(70_000) });
  test.each<[string, Parameters<typeof aLiedSignIn>[0], string]>([
    [
      'a redirect of another server',
      { visit: (address) => ({ ...granting(address), iss: 'https://evil.example' }) },
      'unexpected "iss"',
    ],
    [
      'a redirect with neither code nor error code',
      { visit: (address) => ({ state: granting(address).state ?? '', error: '<b>' }) },
      'it sent neither a code nor an error',
    ],
    [
      'nobody who signs in',
      { visit: null, clock: { now: () => 0, sleep: async () => {} } },
      'Nobody signed in',
    ],
    ['a code that is refused', { token: json({ error: 'invalid_grant' }, 400) }, 'invalid_grant'],
    ['an error as a 200', { token: json({ ok: false, error: 'bad_redirect_uri' }) }, 'bad_redirect_uri'],
    [
      'no JSON',
      { token: (_request, response) => void response.end('<html>') },
      'it answered 200 without a token',
    ],
    ['a number as a token', { token: json({ access_token: 7 }) }, 'it answered 200 without a token'],
    ['a token that is huge', { token: aHugeToken }, 'more than 65536 bytes'],
    ['a redirect as an answer', { token: json({ access_token: 'access-1' }, 302) }, 'it answered 302'],
    [
      'a lost connection',
      { token: (_request, response) => void response.destroy() },
      'it could not be asked',
    ],
    [
      'a token that expires, and none to refresh it',
      { token: json({ access_token: 'access-1', expires_in: 600 }) },
      'no refresh token',
    ],
  ])('stores nothing for %s', async (_what, parts, message) => {
    const { call, secret, asked } = await aLiedSignIn(parts);
    const { code, err } = await call('credential connect mail', 'client-secret');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) });
    expect(err).toContain('Nothing was stored.');
    expect(secret()).toEqual({});
    expect(asked).not.toContain('POST /api/admin/credentials/mail/rotate');
  });

  test('stores nothing when the token endpoint hangs', async () => {
    const waits: number[] = [];
    const sleep = (ms: number) => {
      waits.push(ms);
      return waits.length === 1 ? new Promise<void>(() => {}) : Promise.resolve();
    };
    const { call, secret } = await aLiedSignIn({ token: () => {}, clock: { now: () => 0, sleep } });
    const { code, err } = await call('credential connect mail', 'client-secret');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('did not answer within 10 seconds'),
    });
    expect(waits).toEqual([300_000, 10_000]);
    expect(secret()).toEqual({});
  });

  test.each([
    ['a wrong state', { code: 'code-2', state: 'other' }],
    ['an error and a wrong state', { error: 'access_denied', state: 'other' }],
    ['no state', { code: 'code-2' }],
  ])('continues when a page opens the address of the redirect with %s', async (_what, query) => {
    const answers: Response[] = [];
    const { call, secret } = await aLiedSignIn({
      visit: async (address) => {
        const callback = address.searchParams.get('redirect_uri');
        for (let count = 0; count < 2; count++)
          answers.push(await fetch(`${callback}?${new URLSearchParams(query)}`));
        return granting(address);
      },
    });
    const { code, err } = await call('credential connect mail', 'client-secret');
    expect(code).toBe(0);
    expect(err.split('A redirect with a wrong state has come')).toHaveLength(2);
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(await answers[0]?.text()).toContain('its state is wrong');
    expect(secret()).toMatchObject({ refreshToken: 'refresh-1' });
  });

  test('ignores what is not the redirect, such as an icon', async () => {
    let icon: Promise<Response> | null = null;
    const { call } = await aLiedSignIn({
      visit: (address) => {
        icon = fetch(new URL('/favicon.ico', address.searchParams.get('redirect_uri') ?? ''));
        return granting(address);
      },
    });
    expect((await call('credential connect mail')).code).toBe(0);
    expect((await (icon as Promise<Response> | null))?.status).toBe(404);
  });

  test('says so when its port is in use', async () => {
    const { call, browsed } = await aLiedSignIn();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { readonly port: number };
    const { code, err } = await call(`credential connect mail --port ${port}`);
    taken.close();
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`at port ${port}`) });
    expect(browsed).toEqual([]);
  });

  test('refuses a credential that needs no sign-in', async () => {
    const { call } = await openCommandLine();
    await call('credential create crm --type httpBearer --host crm.example.com', 'the-token-1');
    const { code, err } = await call('credential connect crm');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('crm needs no sign-in') });
  });
});

describe('credential create with a preset', () => {
  test('knows addresses, scope and hosts; options win', async () => {
    const { call, stores } = await openCommandLine();
    const { code } = await call(
      'credential create mail --type oauth2 --preset google --field clientId=shop --field scope=calendar',
    );
    expect(code).toBe(0);
    expect(await stores.outbound.store.find('mail')).toMatchObject({
      fields: {
        grant: 'authorizationCode',
        tokenUrl: 'https://oauth2.googleapis.com/token',
        clientAuthentication: 'body',
        clientId: 'shop',
        scope: 'calendar',
      },
      hosts: ['*.googleapis.com'],
    });
  });

  test('of every service is accepted', async () => {
    const { call, stores } = await openCommandLine();
    const { OAUTH2_PRESETS } = await import('../../authoring/oauth2-presets.ts');
    for (const [name, { hosts }] of Object.entries(OAUTH2_PRESETS)) {
      const { err, code } = await call(
        `credential create ${name} --type oauth2 --preset ${name} --field clientId=shop`,
      );
      expect({ err, code }).toEqual({ err: expect.stringContaining('created'), code: 0 });
      expect((await stores.outbound.store.find(name))?.hosts).toEqual(hosts);
    }
  });

  test.each([
    ['--type oauth2 --preset gogle', 'did you mean "google"?'],
    ['--type httpBearer --preset google', '--preset is for the type oauth2'],
  ])('%s is refused', async (options, message) => {
    const { call } = await openCommandLine();
    const { code, err } = await call(`credential create mail ${options} --field clientId=shop`);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  });
});
