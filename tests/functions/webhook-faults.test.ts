import { describe, expect, test } from '@jest/globals';
import { STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { aCredential } from '../support/a-credential.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { aJsonEvent, aWebhookEvent } from '../support/a-webhook-event.ts';
import { aWebhookService, type WebhookService } from '../support/a-webhook-service.ts';

const unavailable = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}, new Error('throttled')));

const withKey = { authentication: 'apiKey', credentialId: 'partner' } as const;

describe('while the store is unavailable', () => {
  test.each([
    ['workflows', { workflows: { find: unavailable } }],
    ['credentials', { credentials: { find: unavailable } }],
    ['executions', { executions: { start: unavailable, startAndFinish: unavailable } }],
  ])('%s: 503 with Retry-After, and nothing was started', async (_case, spoilt) => {
    const service = await aWebhookService({ spoilt });
    await service.putCredential(aCredential());
    for (const responseMode of ['onReceived', 'lastNode', 'responseNode'] as const) {
      await service.put({ webhook: { ...withKey, responseMode } });
      service.clock.advance(10_000);
      const result = await service.call(aJsonEvent({}, { headers: { 'x-api-key': 'right' } }));
      expect(result).toEqual(aProblem(503, 'store-unavailable'));
      expect(Number(result.headers?.['retry-after'])).toBeGreaterThan(0);
    }
    expect(service.executions.records()).toEqual([]);
  });

  test('a failed read is not cached', async () => {
    let isDown = true;
    const service: WebhookService = await aWebhookService({
      spoilt: { workflows: { find: (id) => (isDown ? unavailable() : service.workflows.find(id)) } },
    });
    await service.put();
    expect((await service.call(aJsonEvent({}))).statusCode).toBe(503);
    isDown = false;
    expect((await service.call(aJsonEvent({}))).statusCode).toBe(200);
  });

  /** A service with one webhook, which has answered; each advance of its clock makes all that is cached due. */
  const aThrottledService = async () => {
    const isDown = { workflows: false, credentials: false };
    const service: WebhookService = await aWebhookService({
      spoilt: {
        workflows: { find: (id) => (isDown.workflows ? unavailable() : service.workflows.find(id)) },
        credentials: { find: (id) => (isDown.credentials ? unavailable() : service.credentials.find(id)) },
      },
    });
    await service.putCredential(aCredential());
    await service.put({ webhook: withKey });
    const statusAfter = async (ms: number): Promise<number | undefined> => {
      service.clock.advance(ms);
      return (await service.call(aJsonEvent({}, { headers: { 'x-api-key': 'right' } }))).statusCode;
    };
    expect(await statusAfter(0)).toBe(200);
    return { service, isDown, statusAfter };
  };

  // holds: cached-through-an-outage
  test('requests continue for five minutes with the cached workflow', async () => {
    const { isDown, statusAfter } = await aThrottledService();
    isDown.workflows = true;
    expect(await statusAfter(6_000)).toBe(200);
    expect(await statusAfter(293_000)).toBe(200);
    expect(await statusAfter(1_000)).toBe(503);
    isDown.workflows = false;
    expect(await statusAfter(0)).toBe(200);
  });

  // holds: cached-through-an-outage, revoked-secrets-end
  test('requests continue for a minute with the cached credential', async () => {
    const { isDown, statusAfter } = await aThrottledService();
    isDown.credentials = true;
    expect(await statusAfter(59_000)).toBe(200);
    expect(await statusAfter(1_000)).toBe(503);
  });

  test('a result is returned even if the end cannot be recorded', async () => {
    const service = await aWebhookService({ spoilt: { executions: { finish: unavailable } } });
    await service.put();
    // With a delivery key, the start is recorded first.
    const headers = { 'content-type': 'application/json', 'idempotency-key': '"d-1"' };
    expect((await service.call(aJsonEvent({}, { headers }))).statusCode).toBe(200);
    expect(service.lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: 'error', status: 'succeeded', workflowId: 'shop' }),
    );
  });

  test('a stored workflow that cannot run is 500, and nothing was started', async () => {
    const service = await aWebhookService();
    await service.put({ chain: [{ type: 'uninstalled' }] });
    expect(await service.call(aJsonEvent({}))).toEqual(aProblem(500, 'workflow-invalid'));
    expect(service.executions.records()).toEqual([]);
  });
});

describe('the order of the checks', () => {
  const spoil = {
    size: { body: `{"a":${' '.repeat(200)}` },
    path: { path: 'gone' },
    method: { method: 'PUT' },
    credentials: { headers: { 'content-type': 'application/json', 'x-api-key': 'wrong' } },
    type: {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', 'x-api-key': 'right' },
    },
    depth: { body: '[[[[' },
    syntax: { body: '[' },
  };
  const statuses: [keyof typeof spoil, string][] = [
    ['size', 'body-too-large'],
    ['path', 'not-found'],
    ['method', 'method-not-allowed'],
    ['credentials', 'unauthorized'],
    ['type', 'body-invalid'],
    ['depth', 'body-too-deep'],
    ['syntax', 'body-invalid'],
  ];
  const pairs = statuses.flatMap(([first, code], at) =>
    statuses
      .slice(at + 1)
      .filter(([second]) => Object.keys(spoil[first]).every((key) => !(key in spoil[second])))
      .map(([second]) => [first, second, code] as const),
  );

  test.each(pairs)('%s comes before %s', async (first, second, code) => {
    const service = await aWebhookService({ settings: { maxBodyBytes: 100, maxBodyDepth: 3 } });
    await service.putCredential(aCredential());
    await service.put({ webhook: withKey });
    const sound = {
      headers: { 'content-type': 'application/json', 'x-api-key': 'right' },
      body: '{}',
    };
    expect((await service.call(aWebhookEvent(sound))).statusCode).toBe(200);
    const result = await service.call(aWebhookEvent({ ...sound, ...spoil[first], ...spoil[second] }));
    expect(bodyOf(result).type).toBe(`urn:hookloom:problem:${code}`);
  });
});

describe('the cache of a sandbox', () => {
  const counting = async (settings = {}) => {
    const reads: string[] = [];
    const service: WebhookService = await aWebhookService({
      settings,
      spoilt: {
        workflows: {
          find: (id) => {
            reads.push(id);
            return service.workflows.find(id);
          },
        },
      },
    });
    await service.put();
    return { service, reads };
  };

  test('reads a workflow once in a few seconds, even a missing one', async () => {
    const { service, reads } = await counting();
    for (let turn = 0; turn < 3; turn += 1) {
      await service.call(aJsonEvent({}));
      await service.call(aJsonEvent({}, { workflowId: 'gone' }));
    }
    expect(reads).toEqual(['shop', 'gone']);
    service.clock.advance(5_000);
    await service.call(aJsonEvent({}));
    expect(reads).toHaveLength(3);
  });

  test('when off lets an edit take effect on the next request', async () => {
    const { service } = await counting({ cacheTtlMs: 0 });
    expect(bodyOf(await service.call(aJsonEvent({}))).edited).toBeUndefined();
    await service.put({ chain: [{ type: 'set', parameters: { values: { edited: true } } }] });
    expect(bodyOf(await service.call(aJsonEvent({}))).edited).toBe(true);
    await service.put({ enabled: false });
    expect((await service.call(aJsonEvent({}))).statusCode).toBe(404);
  });
});

describe('concurrent requests', () => {
  test('each get their own response and record', async () => {
    const service = await aWebhookService();
    await service.put({ chain: [{ type: 'set', parameters: { values: { mine: '{{ body.number }}' } } }] });
    const numbers = Array.from({ length: 10 }, (_, number) => number);
    const answers = await Promise.all(
      numbers.map((number) => service.call(aJsonEvent({ number }, { requestId: `request-${number}` }))),
    );
    expect(answers.map((answer) => bodyOf(answer).mine)).toEqual(numbers);
    const ids = answers.map(({ headers }) => headers?.['hookloom-execution-id']);
    expect(new Set(ids).size).toBe(10);
    expect(service.executions.records()).toHaveLength(10);
    expect(service.executions.records().every(({ status }) => status === 'succeeded')).toBe(true);
  });
});
