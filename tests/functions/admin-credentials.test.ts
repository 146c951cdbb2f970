import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createOutboundCredentialStore } from '../../lib/adapters/dynamodb/credential-stores.ts';
import { createListExpiring } from '../../lib/adapters/dynamodb/health/standing-store.ts';
import { SECRETS_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { anAdminApi, type Others } from '../support/an-admin-api.ts';
import { inMemorySecrets } from '../support/outbound-credentials.ts';
import { findSecrets } from '../support/secret-forms.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const CREDENTIALS = '/api/admin/credentials';
const KEY = `${CREDENTIALS}/shop-key`;
const CRM = `${CREDENTIALS}/crm`;
const ADA = 'arn:aws:sts::123456789012:assumed-role/operators/ada';
const TOKEN = 'the-token-1';

const open = async (others: Others = {}) => {
  const { endpoint, client, tables } = await openDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-credentials-'));
  folders.push(folder);
  const secretsFolder = join(folder, 'secrets');
  const values = { DYNAMODB_ENDPOINT: endpoint, SECRETS_FOLDER: secretsFolder, SOURCES_ENDPOINT: endpoint };
  const secretOf = (id: string) => JSON.parse(readFileSync(join(secretsFolder, id), 'utf8'));
  return { ask: anAdminApi(values, others), secretsFolder, secretOf, client, tables };
};

type Ask = Awaited<ReturnType<typeof open>>['ask'];

const createCrm = (ask: Ask, body: object = {}) =>
  ask('PUT', CRM, {
    body: { type: 'httpBearer', secrets: { token: TOKEN }, hosts: ['crm.example.com'], ...body },
  });

const callingCrm = aWorkflow({
  nodes: [
    aTrigger(),
    { id: 'call', type: 'httpRequest', credentialId: 'crm', parameters: { url: 'https://crm.example.com' } },
  ],
  connections: [{ sourceNodeId: 'request', targetNodeId: 'call' }],
});

describe('PUT of a credential', () => {
  test('of callers answers with the generated secret, which nothing else shows', async () => {
    const { ask } = await open();
    const created = await ask('PUT', KEY, { body: { type: 'apiKey' } });
    expect(created).toMatchObject({ status: 201, headers: { etag: '"1"', 'cache-control': 'no-store' } });
    const { newSecret, ...shown } = created.body;
    expect(newSecret).toMatch(/^[\w-]{43}$/);
    expect(shown).toEqual({
      id: 'shop-key',
      direction: 'inbound',
      type: 'apiKey',
      username: null,
      secrets: [{ id: '1', createdAt: expect.any(String) }],
      revision: 1,
      secretId: '1',
    });
    for (const path of [KEY, CREDENTIALS]) {
      const text = JSON.stringify((await ask('GET', path)).body);
      expect(text).toContain('shop-key');
      expect(text).not.toContain(newSecret);
      expect(text).not.toContain('hash');
    }
  });

  test('of the type basic takes a chosen password, and does not repeat it', async () => {
    const { ask } = await open();
    const body = { type: 'basic', username: 'ann', password: 'long enough' };
    const created = await ask('PUT', KEY, { body });
    expect(created).toMatchObject({ status: 201, body: { username: 'ann', secretId: '1' } });
    expect(JSON.stringify(created)).not.toContain('long enough');
    expect(created.body).not.toHaveProperty('newSecret');
  });

  test('for calling out stores the fields with defaults, and the secret apart', async () => {
    const { ask, secretOf } = await open();
    const fields = { host: 'db.example.com', database: 'shop', username: 'ann' };
    const body = { type: 'postgres', fields, secrets: { password: 'the-password' } };
    const created = await ask('PUT', `${CREDENTIALS}/db`, { body });
    expect(created).toMatchObject({ status: 201, headers: { etag: '"1"' } });
    expect(created.body).toEqual({
      id: 'db',
      direction: 'outbound',
      type: 'postgres',
      fields: { port: '5432', sslmode: 'verify-full', ...fields },
      hosts: [],
      reference: 'file:db',
      revision: 1,
    });
    expect(secretOf('db')).toEqual({ password: 'the-password' });
  });

  test('for calling out is shown with the names of the secret fields that are stored', async () => {
    const { ask } = await open();
    await createCrm(ask);
    expect((await ask('GET', CRM)).body).toMatchObject({ storedSecretFields: ['token'] });
    const fields = { tokenUrl: 'https://a.example/token', clientId: 'shop', grant: 'authorizationCode' };
    const body = { type: 'oauth2', fields, secrets: { clientSecret: '' }, hosts: ['a.example'] };
    await ask('PUT', `${CREDENTIALS}/mail`, { body });
    expect((await ask('GET', `${CREDENTIALS}/mail`)).body).toMatchObject({ storedSecretFields: [] });
    const secrets = { clientSecret: 'the-secret', refreshToken: 'refresh-1' };
    await ask('POST', `${CREDENTIALS}/mail/rotate`, { body: { secrets } });
    const shown = await ask('GET', `${CREDENTIALS}/mail`);
    expect(shown.body).toMatchObject({ storedSecretFields: ['clientSecret', 'refreshToken'] });
    expect(JSON.stringify(shown.body)).not.toContain('refresh-1');
  });

  test('is shown even if the secret store fails', async () => {
    const down = () => Promise.reject(new AppError(SECRETS_UNAVAILABLE, {}));
    const { ask } = await open({ secrets: { ...inMemorySecrets(), get: down } });
    await createCrm(ask);
    expect(await ask('GET', CRM)).toMatchObject({ status: 200, body: { storedSecretFields: null } });
  });

  test.each([
    ['PUT', { 'if-none-match': '*' }, 412],
    ['PUT', { 'if-match': '"7"' }, 412],
    ['PUT', {}, 409],
  ] as const)(
    'by %s with %j of an id that is taken is a %d, and changes nothing',
    async (method, headers, status) => {
      const { ask, secretOf } = await open();
      await createCrm(ask);
      const body = { type: 'httpBearer', secrets: { token: 'the-token-2' }, hosts: ['b.example'] };
      expect(await ask(method, CRM, { body, headers })).toMatchObject({ status });
      expect(await ask(method, CRM, { body: { type: 'apiKey' }, headers })).toMatchObject({ status });
      expect((await ask('GET', CRM)).body).toMatchObject({ type: 'httpBearer', revision: 1 });
      expect(secretOf('crm')).toEqual({ token: TOKEN });
    },
  );

  test('of two requests for the same id, only one stores its secret', async () => {
    const { ask, secretOf } = await open();
    const put = (token: string) =>
      ask('PUT', CRM, { body: { type: 'httpBearer', secrets: { token }, hosts: [`${token}.example`] } });
    const answers = await Promise.all([put('token-a'), put('token-b')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const { hosts } = (await ask('GET', CRM)).body;
    expect(`${secretOf('crm').token}.example`).toBe(hosts[0]);
  });

  test('leaves nothing behind if the secret store fails', async () => {
    const down = () => Promise.reject(new AppError(SECRETS_UNAVAILABLE, {}));
    const { ask } = await open({ secrets: { ...inMemorySecrets(), put: down } });
    expect(await createCrm(ask)).toMatchObject({ status: 503 });
    expect(await ask('GET', CRM)).toMatchObject({ status: 404 });
  });

  const valid = { type: 'httpBearer', secrets: { token: TOKEN }, hosts: ['a.example'] };
  test.each([
    ['an unknown type', { ...valid, type: 'httpBearr' }, '#/type', 'did you mean "httpBearer"?'],
    [
      'an unknown field',
      { ...valid, fields: { testUrI: 'x' } },
      '#/fields/testUrI',
      'did you mean "testUrl"?',
    ],
    [
      'a secret among the public fields',
      { ...valid, fields: { token: TOKEN } },
      '#/fields/token',
      'is secret',
    ],
    [
      'a public field among the secrets',
      { ...valid, secrets: { token: TOKEN, testUrl: 'a' } },
      '#/secrets/testUrl',
      'is not secret',
    ],
    [
      'limits of a type that is never added to a request',
      {
        type: 'smtp',
        fields: { host: 'a.example', username: 'ann' },
        secrets: { password: 'long-enough' },
        limits: { atOnce: 2 },
      },
      '#/limits',
      'is never added to a request',
    ],
    ['no secret', { ...valid, secrets: {} }, '#', 'lacks the key "token"'],
    ['a short secret', { ...valid, secrets: { token: 'abc' } }, '#/secrets/token', 'at least 6 characters'],
    ['a large secret', { ...valid, secrets: { token: 'x'.repeat(9_000) } }, '#/secrets', 'the limit is 8192'],
    [
      'a public field that does not match',
      {
        type: 'httpBasic',
        fields: { username: 'a:b' },
        secrets: { password: 'long-enough' },
        hosts: ['a.example'],
      },
      '#/fields/username',
      'must match',
    ],
    ['no host', { ...valid, hosts: undefined }, '#/hosts', 'are missing'],
    ['an empty list of hosts', { ...valid, hosts: [] }, '#/hosts', 'must name its hosts'],
    [
      'a URL as a host',
      { ...valid, hosts: ['a.example', 'https://b.example/'] },
      '#/hosts/1',
      'did you mean "b.example"?',
    ],
    [
      'hosts of a type that has none',
      {
        type: 'smtp',
        fields: { host: 'a.example', username: 'ann' },
        secrets: { password: 'long-enough' },
        hosts: ['a.example'],
      },
      '#/hosts',
      'leave them out',
    ],
    [
      'testUrl at another host',
      { ...valid, fields: { testUrl: 'https://b.example' } },
      '#/hosts',
      'testUrl is at b.example',
    ],
    ['secrets and a reference', { ...valid, ref: 'arn' }, '#/secrets', 'excludes "ref"'],
    ['a reference that is no ARN', { ...valid, secrets: undefined, ref: 'arn' }, '#/ref', 'must be the ARN'],
    [
      'a password of another type',
      { ...valid, password: 'long-enough' },
      '#/password',
      'is for the type basic',
    ],
    ['fields of callers', { type: 'apiKey', fields: {} }, '#/fields', 'is for credentials for calling out'],
    ['a user name of a key', { type: 'apiKey', username: 'ann' }, '#/username', 'is for the type basic'],
    ['no user name', { type: 'basic' }, '#/username', 'is missing'],
    ['a colon in the user name', { type: 'basic', username: 'a:b' }, '#/username', 'colon'],
    ['a short password', { type: 'basic', username: 'ann', password: 'short' }, '#/password', 'at least 8'],
  ])('with %s is a 422 that names the place, and stores nothing', async (_case, body, pointer, detail) => {
    const { ask, secretsFolder } = await open();
    const refused = await ask('PUT', CRM, { body });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: expect.arrayContaining([{ pointer, detail: expect.stringContaining(detail) }]) },
    });
    expect(JSON.stringify(refused.body)).not.toContain(TOKEN);
    expect(await ask('GET', CREDENTIALS)).toMatchObject({ body: { count: 0 } });
    expect(() => readdirSync(secretsFolder)).toThrow('ENOENT');
  });

  test.each([
    ['an unknown member', { type: 'apiKey', tokn: TOKEN }, 400, '/tokn is not known'],
    ['no type', {}, 400, '/type is missing'],
    [
      'a number as a secret',
      { type: 'a', secrets: { token: 7_654_321 } },
      400,
      '/secrets/token must be a string',
    ],
    ['a list', [TOKEN], 400, '/type is missing'],
    ['a text', JSON.stringify(TOKEN), 400, 'it must be an object'],
    ['malformed JSON', '{"type":', 400, 'The body is invalid'],
    ['deep nesting', { type: 'a', fields: { a: [[[[[[1]]]]]] } }, 400, 'nested deeper'],
    ['many hosts', { type: 'a', hosts: Array(101).fill('a.example') }, 400, '/hosts must have at most 100'],
    [
      'a long user name',
      { type: 'basic', username: 'a'.repeat(300) },
      400,
      '/username must have at most 256',
    ],
    [
      'a long reference',
      { type: 'a', ref: 'x'.repeat(2_049) },
      400,
      '/ref must have at most 2048 characters',
    ],
    ['too many bytes', { type: 'a', fields: { a: 'x'.repeat(300_000) } }, 413, '300000 bytes'],
  ])('whose body has %s is refused without its values', async (_case, body, status, detail) => {
    const { ask } = await open();
    const refused = await ask('PUT', CRM, { body });
    expect(refused).toMatchObject({ status, body: { detail: expect.stringContaining(detail) } });
    expect(JSON.stringify(refused.body)).not.toMatch(/the-token-1|7654321/);
  });
});

describe('when a credential expires', () => {
  const EXPIRES = '2027-01-31T00:00:00.000Z';

  test.each([
    ['of callers', KEY, { type: 'apiKey' }, {}],
    [
      'for calling out',
      CRM,
      { type: 'httpBearer', secrets: { token: TOKEN }, hosts: ['crm.example.com'] },
      { secrets: { token: 'the-token-2' } },
    ],
  ])(
    'is said of one %s when it is created and rotated, and forgotten by a rotation without',
    async (...args) => {
      const [_of, path, body, rotation] = args;
      const { ask } = await open();
      const created = await ask('PUT', path, { body: { ...body, expiresAt: '2027-01-31' } });
      expect(created).toMatchObject({ status: 201, body: { expiresAt: EXPIRES } });
      expect((await ask('GET', path)).body.expiresAt).toBe(EXPIRES);
      expect((await ask('GET', '/api/admin/credentials')).body.credentials).toMatchObject([
        { expiresAt: EXPIRES },
      ]);
      const next = { ...rotation, expiresAt: '2028-01-31T10:00:00+01:00' };
      const rotated = await ask('POST', `${path}/rotate`, { body: next });
      expect(rotated.body.expiresAt).toBe('2028-01-31T09:00:00.000Z');
      const again = await ask('POST', `${path}/rotate`, { body: rotation });
      expect(again).toMatchObject({ status: 200 });
      expect(again.body).not.toHaveProperty('expiresAt');
      expect((await ask('GET', path)).body).not.toHaveProperty('expiresAt');
    },
  );

  test('is that of its client certificate, unless it is said', async () => {
    const { ask } = await open();
    const read = (name: string) => readFileSync(new URL(`../support/tls/${name}`, import.meta.url), 'utf8');
    const certificate = read('client.pem');
    const body = { type: 'tlsClient', hosts: ['a.example.com'], secrets: { key: read('client.key') } };
    const create = (path: string, more: object) =>
      ask('PUT', path, { body: { ...body, fields: { certificate }, ...more } });
    const end = new X509Certificate(certificate).validToDate.toISOString();
    expect(await create(CRM, {})).toMatchObject({ status: 201, body: { expiresAt: end } });
    expect((await create(`${CRM}-2`, { expiresAt: null })).body).not.toHaveProperty('expiresAt');
  });

  test('is the end of its refresh token, as its server has said, unless it is said, until it is rotated', async () => {
    const { ask, client, tables } = await open();
    const fields = { tokenUrl: 'https://crm.example.com/token', clientId: 'client', grant: 'refreshToken' };
    const secrets = { clientSecret: 'client-secret', refreshToken: 'refresh-1' };
    await ask('PUT', CRM, { body: { type: 'oauth2', fields, secrets, hosts: ['crm.example.com'] } });
    const { noteTokenEnd } = createOutboundCredentialStore(client, tables);
    const list = createListExpiring({ client, tables });
    const tellEnd = async (isTold: boolean) => {
      await noteTokenEnd('crm', { at: EXPIRES, isTold });
      const { body } = await ask('GET', CRM);
      expect(body).not.toHaveProperty('tokenEnd');
      return [body.expiresAt, await list()];
    };
    expect(await tellEnd(false)).toEqual([undefined, []]);
    const listed = { kind: 'credential', id: 'crm', expiresAt: EXPIRES };
    expect(await tellEnd(true)).toEqual([EXPIRES, [{ ...listed, isToken: true }]]);
    const hosts = await ask('POST', `${CRM}/hosts`, { body: { hosts: ['crm.example.com'] } });
    expect(hosts.body.expiresAt).toBe(EXPIRES);
    const rotated = await ask('POST', `${CRM}/rotate`, { body: { secrets } });
    expect(rotated.body).not.toHaveProperty('expiresAt');
    const said = '2026-12-31T00:00:00.000Z';
    await ask('POST', `${CRM}/rotate`, { body: { secrets, expiresAt: said } });
    expect(await tellEnd(true)).toEqual([said, [{ ...listed, expiresAt: said }]]);
  });

  test.each(['soon', '2027-02-30', '31.1.2027', 5])('%j is refused', async (expiresAt) => {
    const { ask } = await open();
    expect(await ask('PUT', KEY, { body: { type: 'apiKey', expiresAt } })).toMatchObject({ status: 400 });
  });
});

describe('a credential of callers', () => {
  test('is rotated and revoked, each time as a new revision', async () => {
    const { ask } = await open();
    const first = await ask('PUT', KEY, { body: { type: 'apiKey' } });
    const second = await ask('POST', `${KEY}/rotate`, { headers: { 'if-match': '"1"' } });
    expect(second).toMatchObject({ status: 200, headers: { etag: '"2"' }, body: { secretId: '2' } });
    expect(second.body.newSecret).not.toBe(first.body.newSecret);
    const revoked = await ask('POST', `${KEY}/revoke`, { body: { secretId: '1' } });
    expect(revoked).toMatchObject({ status: 200, body: { secrets: [{ id: '2' }], revision: 3 } });
    expect(await ask('POST', `${KEY}/revoke`, { body: { all: true } })).toMatchObject({
      status: 200,
      headers: { etag: '"4"' },
      body: { secrets: [] },
    });
  });

  test.each([
    ['revoke', {}, 422, 'There is a problem'],
    ['revoke', { secretId: '1', all: true }, 422, 'There is a problem'],
    ['revoke', { secretId: '9' }, 409, 'has no secret 9; its live secrets are: 1'],
    ['revoke', { secretId: TOKEN }, 400, '/secretId must be the id of a secret'],
    ['revoke', { all: 'yes' }, 400, '/all must be true'],
    ['rotate', { password: 'long enough' }, 422, 'There is a problem'],
    ['rotate', { secrets: { token: TOKEN } }, 422, 'There is a problem'],
    ['hosts', { hosts: ['a.example'] }, 409, 'is for callers'],
    ['limits', { limits: { atOnce: 2 } }, 409, 'is for callers'],
  ])('%s with %j is refused', async (action, body, status, detail) => {
    const { ask } = await open();
    await ask('PUT', KEY, { body: { type: 'apiKey' } });
    const refused = await ask('POST', `${KEY}/${action}`, { body });
    expect(refused).toMatchObject({ status, body: { detail: expect.stringContaining(detail) } });
    expect(JSON.stringify(refused.body)).not.toContain(TOKEN);
    expect((await ask('GET', KEY)).body.revision).toBe(1);
  });

  test('is removed, unless a webhook names it', async () => {
    const { ask } = await open();
    await ask('PUT', KEY, { body: { type: 'apiKey' } });
    const trigger = aTrigger({ authentication: 'apiKey' }, { credentialId: 'shop-key' });
    await ask('PUT', '/api/admin/workflows/greeting', {
      body: aWorkflow({ nodes: [trigger], connections: [] }),
    });
    expect((await ask('GET', KEY)).body.users).toEqual([{ workflowId: 'greeting', nodeId: 'request' }]);
    expect(await ask('DELETE', KEY)).toMatchObject({
      status: 409,
      body: { users: ['greeting: the node "request"'] },
    });
    expect(await ask('DELETE', `${KEY}?force=true`)).toMatchObject({
      status: 200,
      body: { id: 'shop-key', removed: true },
    });
    expect(await ask('GET', KEY)).toMatchObject({ status: 404 });
  });
});

describe('a credential for calling out', () => {
  test('keeps the secret fields that a rotation does not replace, and hosts that were named', async () => {
    const { ask, secretOf } = await open();
    const fields = { tokenUrl: 'https://login.example.com/token', clientId: 'shop' };
    const secrets = { clientSecret: 'client-secret-1', refreshToken: 'refresh-1' };
    await createCrm(ask, { type: 'oauth2', fields, secrets });
    const rotated = await ask('POST', `${CRM}/rotate`, { body: { secrets: { refreshToken: 'refresh-2' } } });
    expect(rotated).toMatchObject({ status: 200, body: { hosts: ['crm.example.com'] } });
    expect(rotated.headers.etag).toBe(`"${rotated.body.revision}"`);
    expect(JSON.stringify(rotated)).not.toContain('refresh-2');
    expect(secretOf('crm')).toEqual({ clientSecret: 'client-secret-1', refreshToken: 'refresh-2' });
  });

  test('of two rotations at once, only one stores its secret, or both one after the other', async () => {
    const { ask, secretOf } = await open();
    await createCrm(ask);
    const rotate = (token: string) =>
      ask('POST', `${CRM}/rotate`, { body: { secrets: { token } }, headers: { 'if-match': '"1"' } });
    const tokens = ['token-aa', 'token-bb'];
    const answers = await Promise.all(tokens.map(rotate));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(secretOf('crm').token).toBe(tokens[answers.findIndex(({ status }) => status === 200)]);
  });

  test('is created with limits on its calls, which are then replaced and removed', async () => {
    const { ask } = await open();
    const created = await createCrm(ask, { limits: { perSecond: 10 } });
    expect(created.body.limits).toEqual({ perSecond: 10 });
    const changed = await ask('POST', `${CRM}/limits`, { body: { limits: { perSecond: 0.5, atOnce: 2 } } });
    expect(changed).toMatchObject({
      status: 200,
      body: { limits: { perSecond: 0.5, atOnce: 2 }, revision: 2 },
    });
    expect((await ask('GET', CRM)).body.limits).toEqual({ perSecond: 0.5, atOnce: 2 });
    await ask('POST', `${CRM}/rotate`, { body: { secrets: { token: 'the-token-2' } } });
    expect((await ask('GET', CRM)).body.limits).toEqual({ perSecond: 0.5, atOnce: 2 });
    const removed = await ask('POST', `${CRM}/limits`, { body: { limits: null } });
    expect(removed.body.limits).toBeUndefined();
    expect((await ask('GET', CRM)).body.limits).toBeUndefined();
  });

  test.each([
    [{ perSecond: 0 }, 'limits/perSecond must be at least 0.001'],
    [{ perSecond: 501 }, 'limits/perSecond must be at most 500'],
    [{ perSecond: '10' }, 'limits/perSecond'],
    [{ atOnce: 0 }, 'limits/atOnce must be at least 1'],
    [{ atOnce: 1.5 }, 'limits/atOnce must be a whole number'],
    [{ atOnce: 101 }, 'limits/atOnce must be at most 100'],
    [{}, 'limits must have "perSecond", "atOnce" or both'],
    [{ perHour: 1 }, 'perHour'],
  ])('is not created with the limits %j', async (limits, detail) => {
    const { ask } = await open();
    const { status, body } = await createCrm(ask, { limits });
    expect({ status, detail: body.detail }).toEqual({
      status: 400,
      detail: expect.stringContaining(detail),
    });
  });

  test('changes its hosts, and takes those of its type by default', async () => {
    const { ask } = await open();
    await createCrm(ask, {
      type: 'slackWebhook',
      secrets: { url: 'https://hooks.slack.com/services/1' },
      hosts: undefined,
    });
    const secrets = { url: 'https://hooks.slack.com/services/2' };
    const changed = await ask('POST', `${CRM}/hosts`, { body: { hosts: ['*.Example.com'], secrets } });
    expect(changed).toMatchObject({ status: 200, body: { hosts: ['*.example.com'], revision: 3 } });
    expect((await ask('POST', `${CRM}/hosts`)).body.hosts).toEqual(['hooks.slack.com']);
  });

  test.each([
    [['crm.example.com', 'mine.example']],
    [['mine.example']],
    [['*']],
    [['*.example.com']],
    [['crm.example.com:8443']],
  ])('keeps its secret from the new hosts of %j unless all of it is given again', async (hosts) => {
    const { ask, secretOf } = await open();
    await createCrm(ask);
    for (const secrets of [undefined, {}, { token: 'short' }]) {
      const refused = await ask('POST', `${CRM}/hosts`, { body: { hosts, secrets } });
      expect(refused).toMatchObject({ status: 422, body: { errors: [expect.anything()] } });
      expect(JSON.stringify(refused.body)).not.toContain(TOKEN);
    }
    expect((await ask('GET', CRM)).body).toMatchObject({ hosts: ['crm.example.com'], revision: 1 });
    // An answer does not tell whether a guess is right: any secret replaces the stored one.
    for (const token of ['another-token', TOKEN])
      expect(await ask('POST', `${CRM}/hosts`, { body: { hosts, secrets: { token } } })).toMatchObject({
        status: 200,
        body: { hosts },
      });
    expect(secretOf('crm')).toEqual({ token: TOKEN });
  });

  test('gives up hosts, and narrows them, without its secret', async () => {
    const { ask, secretOf } = await open();
    await createCrm(ask, { hosts: ['*.example.com', 'a.example'] });
    for (const hosts of [['*.crm.example.com', 'shop.example.com'], ['shop.example.com']])
      expect(await ask('POST', `${CRM}/hosts`, { body: { hosts } })).toMatchObject({
        status: 200,
        body: { hosts },
      });
    expect(await ask('POST', `${CRM}/hosts`, { body: { hosts: ['a.example'] } })).toMatchObject({
      status: 422,
    });
    expect(secretOf('crm')).toEqual({ token: TOKEN });
  });

  test.each([
    ['rotate', {}, 422],
    ['rotate', { secrets: { token: 'abc' } }, 422],
    ['rotate', { secrets: { testUrl: 'https://a.example' } }, 422],
    ['hosts', { hosts: ['a/b'] }, 422],
    ['hosts', { hosts: 'a.example' }, 400],
    ['limits', { limits: {} }, 400],
    ['limits', {}, 400],
    ['revoke', { all: true }, 409],
  ])('%s with %j is refused, and changes nothing', async (action, body, status) => {
    const { ask, secretOf } = await open();
    await createCrm(ask);
    expect(await ask('POST', `${CRM}/${action}`, { body })).toMatchObject({ status });
    expect((await ask('GET', CRM)).body.revision).toBe(1);
    expect(secretOf('crm')).toEqual({ token: TOKEN });
  });

  test('is removed with its secret, unless a node names it', async () => {
    const { ask, secretsFolder } = await open();
    await createCrm(ask);
    await ask('PUT', '/api/admin/workflows/greeting', { body: callingCrm });
    expect(await ask('DELETE', CRM)).toMatchObject({ status: 409 });
    expect(readdirSync(secretsFolder)).toEqual(['crm']);
    expect(await ask('DELETE', `${CRM}?force=true`)).toMatchObject({ status: 200 });
    expect(readdirSync(secretsFolder)).toEqual([]);
  });
});

test.each([
  ['POST', `${CRM}/rotate`, { secrets: { token: 'the-token-2' } }],
  ['POST', `${CRM}/hosts`, { hosts: ['b.example'], secrets: { token: 'the-token-2' } }],
  ['POST', `${CRM}/limits`, { limits: { atOnce: 2 } }],
  ['POST', `${KEY}/rotate`, {}],
  ['POST', `${KEY}/revoke`, { all: true }],
  ['DELETE', CRM, undefined],
  ['DELETE', KEY, undefined],
])(
  '%s %s with an earlier revision is a 412 with the current one, and changes nothing',
  async (method, path, body) => {
    const { ask } = await open();
    await createCrm(ask);
    await ask('PUT', KEY, { body: { type: 'apiKey' } });
    const id = path.split('/')[4];
    for (const match of ['"7"', '1', 'W/"1"'])
      expect(await ask(method, path, { body, headers: { 'if-match': match } })).toMatchObject({
        status: 412,
        body: { currentVersion: 1, detail: expect.stringContaining(`credential ${id} is 1`) },
      });
    expect((await ask('GET', `${CREDENTIALS}/${id}`)).body.revision).toBe(1);
    expect(await ask(method, path, { body, headers: { 'if-match': '"1"' } })).toMatchObject({ status: 200 });
  },
);

test.each([
  ['GET', CRM],
  ['POST', `${CRM}/rotate`],
  ['POST', `${CRM}/revoke`],
  ['POST', `${CRM}/hosts`],
  ['DELETE', CRM],
  ['GET', `${CREDENTIALS}/a%20b`],
  ['PUT', `${CREDENTIALS}/a%20b`],
])('%s %s of a credential that does not exist is a 404', async (method, path) => {
  const { ask } = await open();
  const refused = await ask(method, path, method === 'PUT' ? { body: { type: 'apiKey' } } : {});
  expect(refused).toMatchObject({
    status: 404,
    body: { detail: expect.stringMatching(/^There is no credential/) },
  });
  expect(refused.body.detail).not.toContain('a b');
});

describe('the list of credentials', () => {
  test('is filtered, and read in pages', async () => {
    const { ask } = await open();
    await createCrm(ask);
    await ask('PUT', KEY, { body: { type: 'apiKey' } });
    await ask('PUT', `${CREDENTIALS}/partner`, { body: { type: 'basic', username: 'ann' } });
    const idsOf = async (query: string) =>
      (await ask('GET', `${CREDENTIALS}?${query}`)).body.credentials.map(({ id }: { id: string }) => id);
    expect(await idsOf('')).toEqual(['crm', 'partner', 'shop-key']);
    expect(await idsOf('direction=inbound')).toEqual(['partner', 'shop-key']);
    expect(await idsOf('type=httpBearer')).toEqual(['crm']);
    expect(await idsOf('text=BEAR')).toEqual(['crm']);
    const { nextCursor } = (await ask('GET', `${CREDENTIALS}?limit=2`)).body;
    expect(await idsOf(`limit=2&cursor=${nextCursor}`)).toEqual(['shop-key']);
    expect(await ask('GET', `${CREDENTIALS}?type=basic&cursor=${nextCursor}`)).toMatchObject({ status: 400 });
  });

  test.each(['direction=both', 'limit=0', 'limit=101', 'cursor=x', 'tipe=basic', 'text=a&text=b'])(
    'with %s is a 400 that names it',
    async (query) => {
      const { ask } = await open();
      const name = query.split('=')[0] ?? '';
      expect(await ask('GET', `${CREDENTIALS}?${query}`)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining(name) },
      });
    },
  );
});

test('each write leaves one line with who and what, and no secret in it', async () => {
  const { entries, logger } = aRecordingLogger();
  const { ask } = await open({ logger });
  const chosen = 'the-password-1';
  const made: string[] = [TOKEN, 'the-token-2', chosen];
  const call = async (method: string, path: string, body?: object) => {
    const answer = await ask(method, path, { caller: ADA, body });
    if (answer.body?.newSecret !== undefined) made.push(answer.body.newSecret);
  };
  await call('PUT', CRM, { type: 'httpBearer', secrets: { token: TOKEN }, hosts: ['a.example'] });
  await call('POST', `${CRM}/rotate`, { secrets: { token: 'the-token-2' } });
  await call('PUT', KEY, { type: 'apiKey' });
  await call('POST', `${KEY}/rotate`, {});
  await call('PUT', `${CREDENTIALS}/partner`, { type: 'basic', username: 'ann', password: chosen });
  await call('PUT', CRM, { type: 'httpBearer', secrets: { token: TOKEN }, fields: { token: TOKEN } });
  await call('POST', `${KEY}/revoke`, { secretId: TOKEN });
  await call('DELETE', CRM);
  const fields = entries.map((entry) => entry.fields);
  expect(fields).toMatchObject([
    { route: `PUT ${CREDENTIALS}/{credentialId}`, caller: ADA, credentials: 'crm@1' },
    { caller: ADA, credentials: 'crm@3' },
    { credentials: 'shop-key@1' },
    { credentials: 'shop-key@2' },
    { credentials: 'partner@1' },
    { status: 409, code: 'CREDENTIAL_EXISTS' },
    { status: 400 },
    { route: `DELETE ${CREDENTIALS}/{credentialId}`, caller: ADA, credentials: 'crm@3' },
  ]);
  expect(made).toHaveLength(5);
  expect(findSecrets(JSON.stringify(entries), made)).toEqual([]);
});
