import type { WorkflowNode } from '@hookloom/plugin-kit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aJsonEvent, aWebhookEvent } from '../support/a-webhook-event.ts';
import { aWebhookService, type WebhookService } from '../support/a-webhook-service.ts';
import { anyCharacter } from '../support/any-character.ts';
import { cases } from '../support/deep.ts';

let service: WebhookService;

beforeEach(async () => {
  service = await aWebhookService();
});

/** A workflow of triggers alone, which answer with what they got. */
const putTriggers = (...triggers: WorkflowNode['parameters'][]) => {
  const nodes = triggers.map((parameters, at) => ({
    id: `trigger-${at}`,
    type: 'webhookTrigger',
    parameters: { responseMode: 'lastNode', ...parameters },
  }));
  const definition = { id: 'shop', name: 'Shop', enabled: true, nodes, connections: [] };
  return service.workflows.put(definition, toPathConfigs(definition));
};

describe('a path with parameters', () => {
  test('passes their values as a ninth key, decoded once', async () => {
    await service.put({ webhook: { path: '/users/:id/files/*rest' } });
    const answer = await service.call(aJsonEvent({}, { path: 'users/a b/files/%2e%2e/c' }));
    expect(Object.keys(bodyOf(answer))).toHaveLength(9);
    expect(bodyOf(answer)).toMatchObject({ pathParams: { id: 'a b', rest: '%2e%2e/c' } });
  });

  test('is logged without their values', async () => {
    await service.put({ webhook: { path: '/users/:id' } });
    await service.call(aJsonEvent({}, { path: 'users/ada@example.com' }));
    const log = service.lines.join();
    expect(log).toContain('"path":"/users/:id"');
    expect(log).not.toContain('ada@example.com');
  });

  test('deduplicates deliveries separately for each of their values', async () => {
    await service.put({ webhook: { path: '/users/:id', responseMode: 'onReceived' } });
    const send = async (path: string) => {
      const event = aJsonEvent({}, { path, headers: { 'idempotency-key': 'k-1' } });
      return bodyOf(await service.call(event)).duplicate ?? false;
    };
    expect([await send('users/1'), await send('users/2'), await send('users/1')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('can provide the delivery key', async () => {
    const deduplication = 'pathParams.id';
    await service.put({ webhook: { path: '/users/:id', deduplication, responseMode: 'onReceived' } });
    await service.call(aJsonEvent({}, { path: 'users/1' }));
    expect(bodyOf(await service.call(aJsonEvent({}, { path: 'users/1' })))).toMatchObject({
      duplicate: true,
    });
  });

  test.each([
    'users',
    'users/',
    'users/..',
    'users/.',
    'users/a/..',
    'users//a',
    'users/a\\b',
    'users/\u0000',
  ])('is not found at %j', async (path) => {
    await putTriggers({ path: '/users/:id' }, { path: '/users/:id/*rest' });
    expect(await service.call(aJsonEvent({}, { path }))).toEqual(aProblem(404, 'not-found'));
  });
});

test('a hostile path is 404 or an ordinary value, against every pattern', async () => {
  const literal = '/a'.repeat(30);
  await putTriggers(
    { path: '/:a' },
    { path: '/:a/:b/:c' },
    { path: `${literal}/*rest` },
    ...Array.from({ length: 100 }, (_, at) => ({ path: `/p${at}/:id/*rest` })),
  );
  const paths: [string, number][] = [
    ['x'.repeat(100_000), 200],
    ['a/'.repeat(50_000), 404],
    [`${literal.slice(1)}${'/a'.repeat(50_000)}`, 200],
    ['%2e%2e/%2e%2e/%2e%2e', 200],
    ['%252e%252e', 200],
    ['p7/..%2f/x', 200],
    ['p7/../x', 404],
    ['p7/./x', 404],
    ['__proto__/constructor/toString', 200],
    [':a', 200],
    ['*rest/:b/c', 200],
    ['\ud800', 200],
    ['\u0001', 404],
  ];
  for (const [path, status] of paths) {
    const { statusCode } = await service.call(aWebhookEvent({ path }));
    expect([path.slice(0, 40), statusCode]).toEqual([path.slice(0, 40), status]);
  }
});

test('no path, method or origin causes a 5xx, and no value escapes its place', async () => {
  const cors = { origins: ['https://*.shop.example'], credentials: true };
  await putTriggers(
    { path: '/:a', methods: ['GET', 'PUT'], cors },
    { path: '/files/*rest', method: 'GET', cors },
    { path: '/files/:id/raw', methods: ['GET', 'OPTIONS'] },
  );
  const text = fc.oneof(fc.string(), fc.string({ unit: anyCharacter }));
  const segment = fc.oneof(fc.constantFrom('files', 'raw', '..', '.', '', '%2e%2e', ':a', '__proto__'), text);
  const origin = fc.oneof(fc.constantFrom('https://a.shop.example', 'https://a.shop.example.', 'null'), text);
  const anyRequest = fc.record({
    path: fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/')),
    method: fc.constantFrom('GET', 'HEAD', 'PUT', 'OPTIONS', 'POST', 'TRACE'),
    headers: fc.record({ origin, 'access-control-request-method': text }, { requiredKeys: [] }),
  });
  await fc.assert(
    fc.asyncProperty(anyRequest, async ({ path, method, headers }) => {
      const answer = await service.call(aWebhookEvent({ path, method, headers }));
      expect(answer.statusCode).toBeLessThan(500);
      for (const value of Object.values(answer.headers ?? {}))
        expect(String(value)).toMatch(/^[\t\x20-\x7e]*$/);
      const { pathParams = {} } = answer.statusCode === 200 ? (bodyOf(answer) ?? {}) : {};
      for (const value of Object.values(pathParams)) {
        expect(`/${path}/`).toContain(`/${value}/`);
        expect(String(value).split('/')).not.toContain('..');
      }
    }),
    { numRuns: cases(200, 5_000) },
  );
});

test.each(['/:id', '/*rest'])('%s is not the URL of the workflow itself', async (path) => {
  await putTriggers({ path });
  expect(await service.call(aWebhookEvent({ path: null }))).toEqual(aProblem(404, 'not-found'));
});

describe('several methods', () => {
  test('fire one trigger, which sees the method', async () => {
    await service.put({ webhook: { methods: ['GET', 'PUT'] } });
    const methods = ['GET', 'PUT'].map(async (method) =>
      bodyOf(await service.call(aWebhookEvent({ method }))),
    );
    expect((await Promise.all(methods)).map(({ requestMethod }) => requestMethod)).toEqual(['GET', 'PUT']);
  });

  test('are all in Allow, with those of other triggers on the path', async () => {
    await putTriggers(
      { path: '/a', methods: ['GET', 'PUT'] },
      { path: '/a' },
      { path: '/b', method: 'PATCH' },
    );
    const answer = await service.call(aWebhookEvent({ method: 'DELETE', path: 'a' }));
    expect(answer).toEqual(aProblem(405, 'method-not-allowed'));
    expect(answer.headers).toMatchObject({ allow: 'GET, PUT, POST, HEAD' });
  });

  test('deduplicate deliveries separately', async () => {
    await service.put({ webhook: { methods: ['PUT', 'DELETE'], responseMode: 'onReceived' } });
    const send = async (method: string) => {
      const event = aWebhookEvent({ method, headers: { 'idempotency-key': 'k-1' } });
      return bodyOf(await service.call(event)).duplicate ?? false;
    };
    expect([await send('PUT'), await send('DELETE'), await send('PUT')]).toEqual([false, false, true]);
  });
});

describe('HEAD and OPTIONS', () => {
  test('HEAD is answered like GET, without the body', async () => {
    await service.put({ webhook: { method: 'GET' } });
    const get = await service.call(aWebhookEvent({ method: 'GET' }));
    const { body, ...head } = await service.call(aWebhookEvent({ method: 'HEAD' }));
    expect([get.statusCode, head.statusCode, body]).toEqual([200, 200, undefined]);
    expect(Object.keys(head.headers ?? {})).toEqual(Object.keys(get.headers ?? {}));
    expect(service.executions.records()).toHaveLength(2);
  });

  test('HEAD is 405 where no trigger listens to GET', async () => {
    await service.put();
    const { statusCode, headers, body } = await service.call(aWebhookEvent({ method: 'HEAD' }));
    expect([statusCode, headers?.allow, body]).toEqual([405, 'POST', undefined]);
  });

  test.each([{}, { origin: 'https://shop.example', 'access-control-request-method': 'POST' }])(
    'OPTIONS fires its trigger, or is 405: with %j',
    async (headers) => {
      await putTriggers({ path: '/a' }, { path: '/b', methods: ['POST', 'OPTIONS'] });
      const options = (path: string) => service.call(aWebhookEvent({ method: 'OPTIONS', path, headers }));
      expect((await options('a')).headers).toMatchObject({ allow: 'POST' });
      expect(bodyOf(await options('b'))).toMatchObject({ requestMethod: 'OPTIONS' });
    },
  );
});
