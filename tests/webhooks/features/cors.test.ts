import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { toOriginTest } from '../../../lib/webhooks/features/sender/match-origin.ts';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { checkWebhookRules } from '../../../packages/authoring/validation/check-webhooks.ts';
import { aProblem } from '../../support/a-problem.ts';
import { aJsonEvent, aWebhookEvent, type WebhookEventChanges } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from '../../support/a-webhook-service.ts';

const shop = 'https://shop.example';

const aServiceWith = async (webhook: NonNullable<AWorkflow['webhook']>) => {
  const service = await aWebhookService();
  await service.put({ webhook });
  return service;
};

const aPreflight = (
  { origin = shop, method = 'POST' }: { origin?: string; method?: string } = {},
  changes: WebhookEventChanges = {},
) => {
  const asked = { 'access-control-request-method': method, 'access-control-request-headers': 'content-type' };
  return aWebhookEvent({ method: 'OPTIONS', headers: { origin, ...asked }, ...changes });
};

/** A request of a script. */
const from = (origin: string, changes: WebhookEventChanges = {}) =>
  aJsonEvent({}, { ...changes, headers: { origin } });

const nosniff = { 'x-content-type-options': 'nosniff' };

describe('a preflight', () => {
  test('is answered with the methods of the trigger and what the rule allows, before anything else', async () => {
    const service = await aServiceWith({
      methods: ['PUT', 'DELETE'],
      paused: true,
      allowFrom: ['198.51.100.7'],
      authentication: 'apiKey',
      credentialId: 'gone',
      cors: { origins: [shop], headers: ['content-type'], credentials: true, maxAgeSeconds: 600 },
    });
    expect(await service.call(aPreflight({ method: 'PUT' }))).toEqual({
      statusCode: 204,
      headers: {
        'access-control-allow-origin': shop,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'PUT, DELETE',
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '600',
        vary: 'Origin',
        ...nosniff,
      },
    });
    expect(service.executions.records()).toEqual([]);
  });

  test('without further rules allows the headers that webhooks read', async () => {
    const service = await aServiceWith({ cors: { origins: ['*'] } });
    expect(await service.call(aPreflight())).toEqual({
      statusCode: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization, content-type, idempotency-key, prefer, x-api-key',
        ...nosniff,
      },
    });
  });

  test('allows any header, but Authorization only by name', async () => {
    const service = await aServiceWith({ cors: { origins: [shop], headers: ['*'] } });
    const { headers } = await service.call(aPreflight());
    expect(headers).toMatchObject({ 'access-control-allow-headers': '*, authorization' });
  });

  test('from another origin is 403, and allows nothing', async () => {
    const service = await aServiceWith({ cors: { origins: [shop] } });
    const answer = await service.call(aPreflight({ origin: 'https://evil.example' }));
    expect(answer).toEqual(aProblem(403, 'origin-not-allowed'));
    expect(Object.keys(answer.headers ?? {}).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(answer.headers).toMatchObject({ vary: 'Origin' });
  });

  test('for a method that the path lacks is answered with its methods', async () => {
    const service = await aServiceWith({ cors: { origins: [shop] } });
    const { statusCode, headers } = await service.call(aPreflight({ method: 'DELETE' }));
    expect([statusCode, headers?.['access-control-allow-methods']]).toEqual([204, 'POST']);
  });

  test('applies to the trigger with its method, on a path of several', async () => {
    const service = await aWebhookService();
    const trigger = (id: string, parameters: Record<string, JsonValue>) => ({
      id,
      type: 'webhookTrigger',
      parameters: { path: '/users/:id', responseMode: 'lastNode', ...parameters },
    });
    const nodes = [
      trigger('public', { method: 'GET', cors: { origins: ['*'] } }),
      trigger('own', { methods: ['PUT', 'OPTIONS'], cors: { origins: [shop] } }),
      trigger('closed', { method: 'DELETE' }),
    ];
    const definition = { id: 'shop', name: 'Shop', enabled: true, nodes, connections: [] };
    await service.workflows.put(definition, toPathConfigs(definition));
    const ask = async (method: string) =>
      (await service.call(aPreflight({ method }, { path: 'users/7' }))).headers;
    expect(await ask('GET')).toMatchObject({ 'access-control-allow-methods': 'GET' });
    expect(await ask('PUT')).toMatchObject({
      'access-control-allow-origin': shop,
      'access-control-allow-methods': 'PUT, OPTIONS',
    });
    expect(await ask('DELETE')).toMatchObject({ 'access-control-allow-methods': 'GET' });
    expect(service.executions.records()).toEqual([]);
  });

  test.each([{ origin: shop }, { 'access-control-request-method': 'POST' }, {}])(
    'needs both of its headers: OPTIONS with %j is an ordinary request',
    async (headers) => {
      const service = await aServiceWith({ cors: { origins: [shop] }, methods: ['POST', 'OPTIONS'] });
      expect((await service.call(aWebhookEvent({ method: 'OPTIONS', headers }))).statusCode).toBe(200);
    },
  );
});

describe('the response to a script', () => {
  const shared = { 'access-control-allow-origin': shop, vary: 'Origin' };

  test('has the headers of its origin, and names what it may read', async () => {
    const cors = { origins: [shop], exposeHeaders: ['hookloom-execution-id'], credentials: true };
    const service = await aServiceWith({ cors });
    const { statusCode, headers } = await service.call(from(shop));
    expect([statusCode, headers]).toEqual([
      200,
      expect.objectContaining({
        ...shared,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'hookloom-execution-id',
      }),
    ]);
    expect(headers).not.toHaveProperty('access-control-allow-methods');
  });

  test.each<[string, number, NonNullable<AWorkflow['webhook']>, WebhookEventChanges]>([
    ['a wrong method', 405, {}, { method: 'PATCH' }],
    ['a wrong method at a paused webhook', 405, { paused: true }, { method: 'PATCH' }],
    ['a paused webhook', 503, { paused: true }, {}],
    ['another address', 403, { allowFrom: ['198.51.100.7'] }, {}],
    ['missing credentials', 503, { authentication: 'apiKey', credentialId: 'gone' }, {}],
  ])('has them too for %s', async (_case, status, webhook, changes) => {
    const service = await aServiceWith({ cors: { origins: [shop] }, ...webhook });
    const { statusCode, headers } = await service.call(from(shop, changes));
    expect([statusCode, headers]).toEqual([status, expect.objectContaining(shared)]);
    expect(service.executions.records()).toEqual([]);
  });

  test('has them for a wrong method, even on a webhook with a handshake', async () => {
    const handshake = { scheme: 'custom', method: 'GET', match: 'true', answer: { body: 'hello' } };
    const service = await aServiceWith({ cors: { origins: [shop] }, handshake });
    const call = async (method: string) => {
      const { statusCode, headers } = await service.call(from(shop, { method }));
      return [statusCode, headers?.['access-control-allow-origin']];
    };
    expect([await call('GET'), await call('PATCH')]).toEqual([
      [200, shop],
      [405, shop],
    ]);
  });

  test('from another origin, or without one, differs only by Vary', async () => {
    const service = await aServiceWith({ cors: { origins: [shop] } });
    for (const event of [from('https://evil.example'), aJsonEvent({})]) {
      const { statusCode, headers } = await service.call(event);
      expect([statusCode, headers?.vary, headers?.['access-control-allow-origin']]).toEqual([
        200,
        'Origin',
        undefined,
      ]);
    }
  });

  test("does not grant to another origin what the workflow's own headers grant to all", async () => {
    const service = await aWebhookService();
    const headers = { 'Access-Control-Allow-Origin': '*', 'x-own': 'kept' };
    const chain = [{ type: 'respondToWebhook', parameters: { headers, body: 'text' } }];
    await service.put({ webhook: { cors: { origins: [shop] }, responseMode: 'responseNode' }, chain });
    const headersFor = async (origin: string) =>
      JSON.parse(JSON.stringify((await service.call(from(origin))).headers)); // as Lambda returns them
    expect(await headersFor('https://evil.example')).not.toHaveProperty('access-control-allow-origin');
    expect(await headersFor('https://evil.example')).toMatchObject({ 'x-own': 'kept', vary: 'Origin' });
    expect(await headersFor(shop)).toMatchObject(shared);
  });

  test("keeps the workflow's own Vary", async () => {
    const service = await aWebhookService();
    const chain = [{ type: 'respondToWebhook', parameters: { headers: { Vary: 'Accept' }, body: 'text' } }];
    await service.put({ webhook: { cors: { origins: [shop] }, responseMode: 'responseNode' }, chain });
    expect((await service.call(from(shop))).headers).toMatchObject({ vary: 'Accept, Origin' });
  });
});

const place = '/nodes/0/parameters/cors';
const problemsOf = (cors: JsonValue) =>
  checkWebhookRules({
    id: 'x',
    name: 'x',
    enabled: true,
    nodes: [{ id: 'start', type: 'webhookTrigger', parameters: { cors } }],
    connections: [],
  });

describe('an origin', () => {
  const isAllowed = toOriginTest([
    shop,
    'http://localhost:5173',
    'https://*.shop.example',
    'https://*.a.example:8443',
  ]);

  test.each([
    shop,
    'http://localhost:5173',
    'https://www.shop.example',
    'https://a.b-c.shop.example',
    'https://x.a.example:8443',
  ])('%s is allowed', (origin) => {
    expect(isAllowed(origin)).toBe(true);
  });

  test.each([
    'http://shop.example',
    'https://shop.example:8443',
    'https://shop.example/',
    'https://SHOP.example',
    'https://evilshop.example',
    'https://.shop.example',
    'https://shop.example.evil.example',
    'https://evil.example/.shop.example',
    'https://evil.example:443@www.shop.example',
    'https://evil.example#.shop.example',
    'https://a..shop.example',
    'https://*.shop.example:8443',
    'https://x.a.example',
    'http://www.shop.example',
    'https://a\r\nset-cookie: x.shop.example',
    `https://${'a'.repeat(300)}.shop.example`,
    'null',
    '',
  ])('%j is not', (origin) => {
    expect(isAllowed(origin)).toBe(false);
  });

  test.each([
    ['https://shop.example/', 'is not written as browsers send it: use "https://shop.example"'],
    ['https://Shop.example', 'is not written as browsers send it: use "https://shop.example"'],
    ['https://shop.example:443', 'is not written as browsers send it: use "https://shop.example"'],
    ['https://*.shop.example/x', 'is not written as browsers send it: use "https://*.shop.example"'],
    ['https://bücher.example', 'is not written as browsers send it: use "https://xn--bcher-kva.example"'],
    ['shop.example', expect.stringMatching(/^is not an origin: write scheme, host and port/)],
    ['https://shop.*', expect.stringMatching(/^is not an origin/)],
    ['https://a.*.example', expect.stringMatching(/^is not an origin/)],
    ['file:///', expect.stringMatching(/^is not an origin/)],
    ['https://*.example', 'would allow all sites of a top-level domain'],
    ['null', expect.stringMatching(/sandboxed/)],
  ])('%s is refused when the workflow is stored', async (origin, message) => {
    expect(await problemsOf({ origins: [shop, origin] })).toMatchObject([
      { path: `${place}/origins/1`, message },
    ]);
  });

  test.each(['http://*.localhost:3000', 'capacitor://localhost', 'http://[::1]:3000', 'http://192.0.2.1'])(
    '%s is accepted',
    async (origin) => {
      expect(await problemsOf({ origins: [origin] })).toEqual([]);
    },
  );
});

test.each([
  [{ origins: [shop, '*'], credentials: true }, '/origins/1'],
  [{ origins: [shop], headers: ['*'], credentials: true }, '/headers/0'],
  [{ origins: [shop], exposeHeaders: ['a', '*'], credentials: true }, '/exposeHeaders/1'],
  [{ origins: [] }, '/origins'],
  [{ origins: [shop], headers: ['a b'] }, '/headers/0'],
  [{ origins: [shop], maxAgeSeconds: 100_000 }, '/maxAgeSeconds'],
  [{ origins: [shop], methods: ['GET'] }, ''],
  [{}, ''],
  [true, ''],
])('%j is refused when the workflow is stored', async (cors, path) => {
  expect(await problemsOf(cors)).toMatchObject([{ path: `${place}${path}`, message: expect.any(String) }]);
});
