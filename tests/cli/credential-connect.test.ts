import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { useCommandLine } from '../support/a-command-line.ts';
import { aLocalServer, type LocalServer, type Routes } from '../support/a-local-server.ts';

const openCommandLine = useCommandLine();
const servers: LocalServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

type Token = Routes[string];

/** The browser's way from the address to the redirect: what the person there does with the state, and what is sent back. */
type Visit = (address: URL) => Readonly<Record<string, string>>;

const granting: Visit = ({ searchParams }) => ({
  code: 'code-1',
  state: searchParams.get('state') ?? '',
});

const json =
  (body: unknown, status = 200): Token =>
  (_request, response) =>
    void response.writeHead(status).end(JSON.stringify(body));

/** The command line with a credential `mail`, the server that it signs in to, and a person with a browser. */
const aSignIn = async ({
  token = json({ access_token: 'access-1', expires_in: 600, refresh_token: 'refresh-1' }),
  visit = granting,
  clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) },
}: {
  readonly token?: Token;
  readonly visit?: Visit | null;
  readonly clock?: NonNullable<Parameters<typeof openCommandLine>[0]>['clock'];
} = {}) => {
  const server = await aLocalServer({ '/token': token });
  servers.push(server);
  const pages: Promise<Response>[] = [];
  const browse = (address: string) => {
    if (visit === null) return;
    const query = new URLSearchParams(visit(new URL(address)));
    pages.push(fetch(`${new URL(address).searchParams.get('redirect_uri')}?${query}`));
  };
  const line = await openCommandLine({ browse, ...(clock === undefined ? {} : { clock }) });
  const { origin } = server;
  const fields = `grant=authorizationCode authorizationUrl=${origin}/authorize?prompt=consent tokenUrl=${origin}/token clientId=shop scope=mail`;
  const created = await line.call(
    `credential create mail --type oauth2 --host api.example.com --field ${fields}`,
  );
  expect(created).toEqual({
    code: 0,
    out: '',
    err: expect.stringContaining('sign in with credential connect mail'),
  });
  const secret = () => JSON.parse(readFileSync(join(line.secretsFolder, 'mail'), 'utf8'));
  return { ...line, server, pages, secret };
};

describe('credential connect', () => {
  test('signs in with PKCE, stores the refresh token and shows no secret', async () => {
    const { call, browsed, server, pages, secret } = await aSignIn();
    const { code, out, err } = await call('credential connect mail', 'client-secret\n');
    expect({ code, out }).toEqual({ code: 0, out: '' });
    const address = new URL(browsed[0] ?? '');
    const query = Object.fromEntries(address.searchParams);
    expect(query).toEqual({
      prompt: 'consent',
      response_type: 'code',
      client_id: 'shop',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      scope: 'mail',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const [asked] = server.received;
    const form = Object.fromEntries(new URLSearchParams(asked?.body));
    expect(form).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: query.redirect_uri,
      code_verifier: expect.any(String),
    });
    expect(createHash('sha256').update(String(form.code_verifier)).digest('base64url')).toBe(
      query.code_challenge,
    );
    expect(asked?.headers.authorization).toBe(
      `Basic ${Buffer.from('shop:client-secret').toString('base64')}`,
    );
    expect(secret()).toEqual({ clientSecret: 'client-secret', refreshToken: 'refresh-1' });
    expect(err).toContain(address.href);
    expect(err).toContain('mail: connected');
    for (const hidden of ['refresh-1', 'client-secret', 'access-1', 'code-1'])
      expect(err).not.toContain(hidden);
    expect((await pages[0])?.status).toBe(200);
    expect((await call('credential show mail --json')).out).not.toContain('refresh-1');
  });

  test('keeps an access token that never expires, and identifies a public client in the body', async () => {
    const { call, server, secret } = await aSignIn({ token: json({ access_token: 'forever-1' }) });
    expect((await call('credential connect mail')).code).toBe(0);
    expect(server.received[0]?.body).toContain('client_id=shop');
    expect(server.received[0]?.headers.authorization).toBeUndefined();
    expect(secret()).toEqual({ clientSecret: '', refreshToken: '', accessToken: 'forever-1' });
  });

  const aHugeToken = json({ access_token: 'x'.repeat(70_000) });
  test.each<[string, Parameters<typeof aSignIn>[0], string]>([
    ['a redirect with a wrong state', { visit: () => ({ code: 'code-1', state: 'other' }) }, 'wrong state'],
    ['a redirect without a state', { visit: () => ({ code: 'code-1' }) }, 'wrong state'],
    [
      'a person who refuses',
      { visit: (address) => ({ state: granting(address).state ?? '', error: 'access_denied' }) },
      'did not grant the sign-in: access_denied',
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
    const { call, secret, asked } = await aSignIn(parts);
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
    const { call, secret } = await aSignIn({ token: () => {}, clock: { now: () => 0, sleep } });
    const { code, err } = await call('credential connect mail', 'client-secret');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('did not answer within 10 seconds'),
    });
    expect(waits).toEqual([300_000, 10_000]);
    expect(secret()).toEqual({});
  });

  test('ignores what is not the redirect, such as an icon', async () => {
    let icon: Promise<Response> | null = null;
    const { call } = await aSignIn({
      visit: (address) => {
        icon = fetch(new URL('/favicon.ico', address.searchParams.get('redirect_uri') ?? ''));
        return granting(address);
      },
    });
    expect((await call('credential connect mail')).code).toBe(0);
    expect((await (icon as Promise<Response> | null))?.status).toBe(404);
  });

  test('says so when its port is in use', async () => {
    const { call, browsed } = await aSignIn();
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
