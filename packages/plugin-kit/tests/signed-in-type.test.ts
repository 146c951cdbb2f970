import { describe, expect, test } from '@jest/globals';
import {
  type CredentialFields,
  defineAction,
  defineCredentialType,
  fromAttempt,
  type Oauth2Server,
  Type,
} from '../index.ts';
import { nodeTypeChecks, runNode } from '../testing/index.ts';

const server = {
  authorizationUrl: 'https://{shop}.acme.example/oauth/authorize?access=offline',
  tokenUrl: 'https://{shop}.acme.example/oauth/token',
  scopes: ['orders.read', 'orders.write'],
  testUrl: 'https://api.acme.example/me',
} as const;

const aType = (oauth2: Oauth2Server = server) =>
  defineCredentialType({
    id: 'acmeShop',
    name: 'Acme',
    description: 'A shop of Acme',
    parameters: Type.Object({ shop: Type.String({ description: 'Its subdomain' }) }),
    hosts: ['api.acme.example'],
    oauth2,
  });

const type = aType();
const fields = { shop: 'tea', clientId: 'app-1', clientSecret: 'app-secret-1' };

const call = defineAction({
  id: 'acmeCall',
  name: 'Call',
  description: 'Calls Acme',
  parameters: Type.Object({}),
  credentials: { types: ['acmeShop'], required: true },
  execute: async ({ context }) => {
    const url = 'https://api.acme.example/orders';
    const { status } = await context.services.http.request({ url, ...fromAttempt(context) });
    return { status };
  },
});

describe('a type with an OAuth 2.0 server', () => {
  test('has the fields of an app, of which only the secret ones are secret', () => {
    expect(Object.keys(type.schema.properties as object)).toEqual(
      'shop clientId clientSecret scope refreshToken accessToken accessTokenExpiresAt'.split(' '),
    );
    expect(type.schema.required).toEqual(['shop', 'clientId']);
    expect(type.secretFields).toEqual(['clientSecret', 'refreshToken', 'accessToken']);
  });

  test('says what its sign-in needs, as the type oauth2 does', () => {
    expect(type.toSignIn?.({ ...fields, scope: 'orders.read' })).toEqual({
      ...fields,
      grant: 'authorizationCode',
      authorizationUrl: 'https://tea.acme.example/oauth/authorize?access=offline',
      tokenUrl: 'https://tea.acme.example/oauth/token',
      clientAuthentication: 'header',
      scope: 'orders.read',
    });
  });

  test.each([
    '',
    'evil.example/',
    'evil.example#',
    'a@evil.example',
    'evil.example?',
    '../a',
    'tea\n',
    'tea:x',
  ])('takes no %j for a part of a URL', (shop) => {
    expect(() => type.toSignIn?.({ ...fields, shop })).toThrow('the field "shop" can\'t be part of a URL');
    const { pattern = '' } = (type.schema.properties as Record<string, { pattern?: string }>).shop ?? {};
    expect(new RegExp(pattern, 'u').test(shop)).toBe(false);
  });

  test('asks the server for a token of the stored refresh token, and sends it', async () => {
    const credential = { type, fields: { ...fields, refreshToken: 'refresh-1' } };
    const http = [
      {
        request: {
          method: 'POST',
          url: 'https://tea.acme.example/oauth/token',
          body: 'grant_type=refresh_token&refresh_token=refresh-1&scope=orders.read+orders.write',
        },
        answer: { json: { access_token: 'access-1', expires_in: 600 } },
      },
      {
        request: {
          url: 'https://api.acme.example/orders',
          headers: { authorization: 'Bearer access-1' },
        },
        answer: { status: 200 },
      },
    ];
    expect((await runNode(call, { credential, http })).outputs.main).toEqual({ status: 200 });
  });

  test('sends a stored access token that never expires, for tests, too', async () => {
    const credential = { type, fields: { ...fields, accessToken: 'access-1' } };
    const { requests } = await runNode(call, { credential, http: () => ({}) });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer access-1']);
  });

  test('has an example of which only the given secrets are looked for', async () => {
    const example = {
      credential: { type, fields: { ...fields, accessToken: 'access-1' } },
      http: () => ({}),
    };
    for (const { run } of nodeTypeChecks(call, example)) await run();
    const leak = { ...call, execute: async () => ({ token: 'access-1' }) };
    const checks = nodeTypeChecks(leak, example).filter(({ name }) => name.includes('secret'));
    await expect(checks[0]?.run()).rejects.toThrow('contains the field "accessToken"');
  });

  test('asks to sign in when nobody has', async () => {
    const run = runNode(call, { credential: { type, fields }, http: () => ({}) });
    await expect(run).rejects.toThrow('a person has to connect it');
  });

  test('renews what is stored, which has no addresses', async () => {
    const stored: CredentialFields = { ...fields, refreshToken: 'refresh-1' };
    const renewed: CredentialFields[] = [];
    const requests: string[] = [];
    const test = await type.test?.(stored, {
      signal: new AbortController().signal,
      clock: { now: () => 0, sleep: async () => {} },
      tcp: { connect: () => Promise.reject(new Error('no TCP')) },
      http: {
        request: async ({ url, headers = {} }) => {
          requests.push(`${url} ${headers.authorization ?? ''}`);
          const body = Buffer.from(
            '{"access_token":"access-2","refresh_token":"refresh-2","expires_in":600}',
          );
          return { status: 200, headers: {}, body, stream: null, url };
        },
      },
      renewSecrets: async ({ isRenewed, renew }) => {
        expect(isRenewed(stored)).toBe(false);
        renewed.push(await renew({ ...stored }));
        return { ...stored, ...renewed[0] };
      },
    });
    expect(test).toEqual({ status: 'healthy', message: 'api.acme.example answered 200' });
    expect(renewed).toEqual([
      { accessToken: 'access-2', accessTokenExpiresAt: '600000', refreshToken: 'refresh-2' },
    ]);
    expect(requests[1]).toBe('https://api.acme.example/me Bearer access-2');
  });

  test.each([
    [
      'a field that it does not have',
      { tokenUrl: 'https://{tenant}.acme.example/' },
      '{tenant} is none of its',
    ],
    ['no URL', { tokenUrl: '/oauth/token' }, 'must be URLs with https'],
    ['another scheme', { authorizationUrl: 'javascript:{shop}' }, 'must be URLs with https'],
    ['a user', { authorizationUrl: 'https://{shop}@acme.example/' }, 'must be URLs with https'],
  ])('is refused with %s in its URLs', (_case, changes, message) => {
    expect(() => aType({ ...server, ...changes })).toThrow(message);
  });
});
