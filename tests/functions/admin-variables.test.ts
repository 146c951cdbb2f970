import { describe, expect, test } from '@jest/globals';
import { aWorkflow } from '../support/a-workflow.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();

const VARIABLES = '/api/admin/variables';
const ADA = 'arn:aws:sts::123456789012:assumed-role/authors/ada';

const anApi = async () => {
  const { endpoint } = await openDatabase();
  return anAdminApi({ DYNAMODB_ENDPOINT: endpoint, SECRETS_FOLDER: '/nowhere', SOURCES_ENDPOINT: endpoint });
};

const reading = (expression: string, id = 'orders') =>
  aWorkflow({
    id,
    nodes: [
      { id: 'request', type: 'webhookTrigger', parameters: { path: '/webhook' } },
      { id: 'greet', type: 'set', parameters: { values: { region: `{{ ${expression} }}` } } },
    ],
    connections: [{ sourceNodeId: 'request', targetNodeId: 'greet' }],
  });

describe('the variables of a stage', () => {
  test('are created, listed, changed and removed, with the caller of each change', async () => {
    const ask = await anApi();
    const created = await ask('PUT', `${VARIABLES}/region`, {
      body: { type: 'string', value: 'eu-central-1', description: 'Where orders are kept' },
      caller: ADA,
    });
    expect(created).toMatchObject({ status: 201, headers: { etag: '"1"' } });
    const region = {
      name: 'region',
      type: 'string',
      value: 'eu-central-1',
      description: 'Where orders are kept',
      changedAt: expect.any(String),
      changedBy: ADA,
      revision: 1,
    };
    expect(created.body).toEqual({ ...region, changed: true });
    expect(await ask('GET', `${VARIABLES}/region`)).toMatchObject({ headers: { etag: '"1"' }, body: region });

    const limits = { name: 'limits', value: { max: 5 } };
    const both = await ask('PUT', VARIABLES, { body: { variables: [limits, region] } });
    expect(both.body.variables).toMatchObject([
      { name: 'limits', type: 'json', revision: 2, changed: true, changedBy: null },
      { name: 'region', revision: 1, changed: false, changedBy: ADA },
    ]);
    const changed = await ask('PUT', `${VARIABLES}/region`, { body: { value: 7 } });
    expect(changed).toMatchObject({
      status: 200,
      body: { type: 'number', value: 7, description: 'Where orders are kept', revision: 3 },
    });
    expect(await ask('GET', VARIABLES)).toMatchObject({
      headers: { etag: '"3"' },
      body: { count: 2, variables: [{ name: 'limits' }, { name: 'region' }] },
    });
    const removed = await ask('DELETE', `${VARIABLES}/limits`);
    expect(removed.body).toEqual({ name: 'limits', removed: true, lastRevision: 2 });
    expect((await ask('GET', VARIABLES)).body.variables).toMatchObject([{ name: 'region' }]);
  });

  test('expire when that is said of a value, which other values do not', async () => {
    const ask = await anApi();
    const set = async (body: object) => (await ask('PUT', `${VARIABLES}/rate`, { body })).body;
    const EXPIRES = '2027-01-31T00:00:00.000Z';
    expect(await set({ value: 5, expiresAt: '2027-01-31' })).toMatchObject({ expiresAt: EXPIRES });
    expect(await set({ value: 5 })).toMatchObject({ expiresAt: EXPIRES, changed: false });
    expect(await set({ value: 5, expiresAt: '2028-01-31' })).toMatchObject({ changed: true, revision: 2 });
    expect((await ask('GET', VARIABLES)).body.variables).toMatchObject([
      { expiresAt: '2028-01-31T00:00:00.000Z' },
    ]);
    expect(await set({ value: 6 })).not.toHaveProperty('expiresAt');
    await set({ value: 6, expiresAt: '2028-01-31' });
    expect(await set({ value: 6, expiresAt: null })).not.toHaveProperty('expiresAt');
  });

  test('an unknown one is a 404 with the name that was probably meant', async () => {
    const ask = await anApi();
    await ask('PUT', `${VARIABLES}/region`, { body: { value: 'a' } });
    for (const method of ['GET', 'DELETE'])
      expect(await ask(method, `${VARIABLES}/regoin`)).toMatchObject({
        status: 404,
        body: { detail: expect.stringContaining('"region"') },
      });
  });

  test.each([
    ['If-Match with an earlier revision', { 'if-match': '"1"' }],
    ['If-None-Match for a variable that exists', { 'if-none-match': '*' }],
  ])('%s is a 412 with the current one, and changes nothing', async (_, headers) => {
    const ask = await anApi();
    await ask('PUT', `${VARIABLES}/region`, { body: { value: 'a' } });
    await ask('PUT', `${VARIABLES}/region`, { body: { value: 'b' } });
    for (const address of [`${VARIABLES}/region`, VARIABLES]) {
      const body = address === VARIABLES ? { variables: [{ name: 'region', value: 'c' }] } : { value: 'c' };
      expect(await ask('PUT', address, { body, headers })).toMatchObject({
        status: 412,
        body: { currentVersion: 2 },
      });
    }
    expect((await ask('GET', `${VARIABLES}/region`)).body.value).toBe('b');
  });

  test('a name that was removed and set again has another revision', async () => {
    const ask = await anApi();
    await ask('PUT', `${VARIABLES}/region`, { body: { value: 'a' } });
    await ask('DELETE', `${VARIABLES}/region`);
    const again = await ask('PUT', `${VARIABLES}/region`, { body: { value: 'b' } });
    expect(again).toMatchObject({ status: 201, headers: { etag: '"3"' } });
  });

  test('concurrent changes are all kept; of two with the same If-Match, one is', async () => {
    const ask = await anApi();
    const names = ['a', 'b', 'c', 'd'];
    const set = await Promise.all(
      names.map((name) => ask('PUT', `${VARIABLES}/${name}`, { body: { value: 1 } })),
    );
    expect(set.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await ask('GET', VARIABLES)).body.variables.map(({ name }: { name: string }) => name)).toEqual(
      names,
    );
    const { etag = '' } = (await ask('GET', `${VARIABLES}/a`)).headers;
    const race = await Promise.all(
      [2, 3].map((value) =>
        ask('PUT', `${VARIABLES}/a`, { body: { value }, headers: { 'if-match': String(etag) } }),
      ),
    );
    expect(race.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  test('one that workflows read is removed only by force', async () => {
    const ask = await anApi();
    await ask('PUT', `${VARIABLES}/region`, { body: { value: 'a' } });
    await ask('PUT', `${VARIABLES}/other`, { body: { value: 'a' } });
    const workflows = '/api/admin/workflows';
    await ask('PUT', `${workflows}/orders`, { body: reading('$vars.region') });
    await ask('PUT', `${workflows}/any`, { body: reading('$lookup($vars, body.name)', 'any') });
    const refused = await ask('DELETE', `${VARIABLES}/region`);
    const [any, orders] = ['any: the node "greet"', 'orders: the node "greet"'];
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.body.users.sort()).toEqual([any, orders]);
    expect((await ask('DELETE', `${VARIABLES}/other`)).body.users).toEqual([any]);
    expect(await ask('DELETE', `${VARIABLES}/region?force=true`)).toMatchObject({ status: 200 });
  });
});

describe('a variable is refused, with its place, and nothing is stored:', () => {
  const long = 'é'.repeat(2_100);
  test.each<[string, string, unknown, string]>([
    ['a name with a dash', 'my-name', { value: 1 }, '#/name'],
    ['a name of 65 characters', 'n'.repeat(65), { value: 1 }, '#/name'],
    ['a value of another type', 'a', { type: 'number', value: '5' }, '#/value'],
    ['a value over 4 kB', 'a', { value: long }, '#/value'],
    ['another name than in the address', 'a', { name: 'b', value: 1 }, '#/name'],
    ['a long description', 'a', { value: 1, description: 'd'.repeat(501) }, '#/description'],
    ['a name that says secret', 'apiKey', { value: 'hunter2' }, '#/value'],
    ['a number that is a password', 'password', { value: 12345 }, '#/value'],
    ['a token in an object', 'service', { value: { url: 'x', token: 'a' } }, '#/value/token'],
    ['a key of Stripe', 'stripe', { value: `sk_live_${'4eC39HqLyjWDarjtT1zd'}` }, '#/value'],
    ['a key of AWS', 'aws', { value: 'AKIAIOSFODNN7EXAMPLE' }, '#/value'],
    ['a token of GitHub in a list', 'names', { value: ['a', `ghp_${'a1B2'.repeat(9)}`] }, '#/value/1'],
    ['a password in a URL', 'database', { value: 'postgres://me:pa55word@db/orders' }, '#/value'],
    ['a private key', 'pem', { value: '-----BEGIN PRIVATE KEY-----\nMIIE' }, '#/value'],
    ['random text', 'id', { value: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }, '#/value'],
    ['a long hexadecimal text', 'id', { value: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b' }, '#/value'],
    [
      'a token in the description',
      'a',
      { value: 1, description: `use ghp_${'a1B2'.repeat(9)}` },
      '#/description',
    ],
  ])('%s', async (_, name, body, pointer) => {
    const ask = await anApi();
    const refused = await ask('PUT', `${VARIABLES}/${name}`, { body });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer }] },
    });
    expect((await ask('GET', VARIABLES)).body.count).toBe(0);
  });

  test('all or none are set', async () => {
    const ask = await anApi();
    const variables = [
      { name: 'a', value: 1 },
      { name: 'a', value: 2 },
      { name: '?', value: 1 },
    ];
    const refused = await ask('PUT', VARIABLES, { body: { variables } });
    expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '#/variables/1/name',
      '#/variables/2/name',
    ]);
    const repeated = await ask('PUT', VARIABLES, { body: { variables: variables.slice(0, 2) } });
    expect(repeated.body.errors).toMatchObject([{ pointer: '#/variables/1/name' }]);
    expect((await ask('GET', VARIABLES)).body.count).toBe(0);
  });

  test('more than 200 variables, or than 100 kB', async () => {
    const ask = await anApi();
    const many = (count: number, value: string) =>
      Array.from({ length: count }, (_, at) => ({ name: `v${at}`, value }));
    expect(await ask('PUT', VARIABLES, { body: { variables: many(26, 'a '.repeat(2_000)) } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '#/variables', detail: expect.stringContaining('100000 bytes') }] },
    });
    expect((await ask('PUT', VARIABLES, { body: { variables: many(200, '') } })).status).toBe(200);
    expect(await ask('PUT', `${VARIABLES}/another`, { body: { value: '' } })).toMatchObject({
      status: 422,
      body: { errors: [{ detail: expect.stringContaining('at most 200 variables') }] },
    });
  });

  test.each<
    [string, { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }, number]
  >([
    ['no body', {}, 400],
    ['no value', { body: {} }, 400],
    ['an unknown type', { body: { type: 'text', value: '' } }, 400],
    ['an unknown field', { body: { value: 1, secret: true } }, 400],
    ['a list', { body: [] }, 400],
    ['text', { body: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['another type', { body: 'a', headers: { 'content-type': 'text/plain' } }, 415],
    ['a deep value', { body: `{"value":${'['.repeat(60)}${']'.repeat(60)}}` }, 400],
    ['a large body', { body: { value: 'a'.repeat(500_001) } }, 413],
  ])('%s', async (_, request, status) => {
    const ask = await anApi();
    expect((await ask('PUT', `${VARIABLES}/a`, request)).status).toBe(status);
  });
});

test.each<[string, unknown]>([
  ['an address of tokens', { name: 'tokenUrl', value: 'https://example.com/token' }],
  ['a UUID', { name: 'id', value: '7c9e6679-7425-40de-944b-e07fc1f90ae7' }],
  ['a queue', { name: 'queue', value: 'arn:aws:sqs:eu-central-1:123456789012:production-orders-2' }],
  ['a long name in kebab-case', { name: 'bucket', value: 'my-company-production-orders-archive-2026' }],
  ['a text of words', { name: 'greeting', value: 'Welcome back, dear customer number one thousand!' }],
  ['a boolean', { name: 'usesPassword', value: true }],
  ['null', { name: 'nothing', value: null }],
])('%s is no secret', async (_, variable) => {
  const ask = await anApi();
  expect((await ask('PUT', VARIABLES, { body: { variables: [variable] } })).status).toBe(200);
});
