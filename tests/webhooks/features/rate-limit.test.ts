import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { hashGenerated, hashPassword } from '../../../lib/credentials/hash-secret.ts';
import { STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { rememberBuckets, type TakeToken } from '../../../lib/webhooks/limits/token-bucket.ts';
import { checkWebhookRules } from '../../../packages/authoring/validation/check-webhooks.ts';
import { aCredential } from '../../support/a-credential.ts';
import { aProblem } from '../../support/a-problem.ts';
import { aJsonEvent, type WebhookEventChanges } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from '../../support/a-webhook-service.ts';
import { inMemoryBuckets } from '../../support/in-memory-stores.ts';

const aServiceWith = async (
  rateLimit: JsonValue,
  webhook: AWorkflow['webhook'] = {},
  takeToken: TakeToken = inMemoryBuckets(),
) => {
  const service = await aWebhookService({ spoilt: { features: { takeToken } } });
  await service.put({ webhook: { rateLimit, ...webhook } });
  const call = (changes?: WebhookEventChanges) => service.call(aJsonEvent({}, changes));
  return {
    ...service,
    get: call,
    status: async (changes?: WebhookEventChanges) => (await call(changes)).statusCode,
  };
};

const twoPerMinute = { requests: 2, seconds: 60, per: 'path' };

// holds: rates-are-exact
test('requests above the rate get 429 with the time to wait, and start nothing', async () => {
  const service = await aServiceWith(twoPerMinute);
  expect(await service.get()).toMatchObject({
    statusCode: 200,
    headers: { 'ratelimit-policy': '"path";q=2;w=60', ratelimit: '"path";r=1;t=30' },
  });
  expect(await service.get()).toMatchObject({
    statusCode: 200,
    headers: { 'ratelimit-policy': '"path";q=2;w=60', ratelimit: '"path";r=0;t=60' },
  });
  const refused = await service.get();
  expect(refused).toEqual(aProblem(429, 'rate-limited'));
  expect(refused.headers).toMatchObject({ 'retry-after': '30', ratelimit: '"path";r=0;t=30' });
  expect(service.executions.records()).toHaveLength(2);
  service.clock.advance(29_999);
  expect(await service.status()).toBe(429);
  service.clock.advance(1);
  expect(await service.status()).toBe(200);
  expect(await service.status()).toBe(429);
});

test('a burst is what is accepted at once after a pause', async () => {
  const service = await aServiceWith({ ...twoPerMinute, burst: 4 });
  const statuses = [];
  for (let count = 0; count < 5; count++) statuses.push(await service.status());
  expect(statuses).toEqual([200, 200, 200, 200, 429]);
});

test('each response says how much is left, whatever its status', async () => {
  const service = await aServiceWith(twoPerMinute, { authentication: 'apiKey', credentialId: 'gone' });
  expect(await service.get()).toMatchObject({ statusCode: 503, headers: { ratelimit: '"path";r=1;t=30' } });
});

describe('per caller', () => {
  const perCaller = { ...twoPerMinute, per: 'caller', requests: 1 };

  test.each([
    ['192.0.2.1', '192.0.2.2', 200],
    ['192.0.2.1', '192.0.2.1', 429],
    ['2001:db8::1', '2001:db8::2', 429],
    ['2001:db8:0:1::1', '2001:db8:0:2::1', 200],
    ['2001:db8:0:0:1:2:3:4', '2001:db8::', 429],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', 200],
    ['', '', 429],
  ])('by address: after %s, %s gets %i', async (first, second, status) => {
    const service = await aServiceWith(perCaller);
    expect(await service.status({ sourceIp: first })).toBe(200);
    expect(await service.status({ sourceIp: second })).toBe(status);
  });

  test.each<[JsonObject, JsonObject, number]>([
    [{ 'x-tenant': 'a' }, { 'x-tenant': 'b' }, 200],
    [{ 'x-tenant': 'a' }, { 'x-tenant': 'a' }, 429],
    [{}, {}, 429],
    [{}, { 'x-tenant': 'a' }, 200],
  ])('by a header: after %j, %j gets %i', async (first, second, status) => {
    const service = await aServiceWith({ ...perCaller, by: 'header:X-Tenant' });
    expect(await service.status({ headers: first as Record<string, string> })).toBe(200);
    expect(await service.status({ headers: second as Record<string, string> })).toBe(status);
  });

  test('by credential: an unauthenticated request takes no token', async () => {
    const keys: string[] = [];
    const service = await aServiceWith(
      { ...perCaller, by: 'credential' },
      { authentication: 'apiKey', credentialId: 'gone' },
      async ({ key }) => {
        keys.push(key);
        return { isTaken: true, fullAt: 0 };
      },
    );
    expect(await service.status({ headers: { 'x-api-key': 'hunter2' } })).toBe(503);
    expect(keys).toEqual([]);
  });

  test('by credential: other headers do not make a different caller', async () => {
    const service = await aServiceWith(
      { ...perCaller, by: 'credential' },
      { authentication: 'apiKey', credentialId: 'key' },
    );
    await service.putCredential(
      aCredential({
        id: 'key',
        secrets: ['first', 'second'].map((key) => ({
          id: key,
          createdAt: '2026-01-01T00:00:00.000Z',
          hash: hashGenerated(key),
        })),
      }),
    );
    const headers = { 'x-api-key': 'first' };
    expect(await service.status({ headers })).toBe(200);
    expect(await service.status({ headers: { ...headers, authorization: 'Bearer other' } })).toBe(429);
    expect(await service.status({ headers: { 'x-api-key': 'second' } })).toBe(200);
  });

  describe('the key of a bucket does not depend on the secret, so that none can be guessed from it', () => {
    const callers = {
      apiKey: (secret: string) => ({ 'x-api-key': secret }),
      basic: (secret: string) => ({ authorization: `Basic ${btoa(`ann:${secret}`)}` }),
    } as const;
    /** The key of the bucket that a caller takes from. */
    const keyOf = async (type: keyof typeof callers, secret: string, by: string, secretId = '1') => {
      const keys: string[] = [];
      const service = await aServiceWith(
        { ...perCaller, by }, // stored as it is: what was stored before such headers were refused counts as well
        { authentication: type, credentialId: 'login' },
        async ({ key }) => {
          keys.push(key);
          return { isTaken: true, fullAt: 0 };
        },
      );
      const createdAt = '2026-01-01T00:00:00.000Z';
      const username = type === 'basic' ? 'ann' : null;
      const secrets = [{ id: secretId, createdAt, hash: await hashPassword(secret, 16) }];
      await service.putCredential(aCredential({ id: 'login', type, username, secrets }));
      expect(await service.status({ headers: callers[type](secret) })).toBe(200);
      return keys;
    };

    test.each([
      ['apiKey', 'credential'],
      ['basic', 'credential'],
      ['apiKey', 'header:X-Api-Key'],
      ['basic', 'header:Authorization'],
    ] as const)('of %s, by %s', async (type, by) => {
      const [key] = await keyOf(type, 'Summer2026', by);
      expect(key).toMatch(/^[\w-]{43}$/);
      expect(await keyOf(type, 'Winter2027', by)).toEqual([key]);
      expect(await keyOf(type, 'Summer2026', by, '2')).not.toEqual([key]);
    });
  });

  test('what identifies a caller is hashed', async () => {
    const keys: string[] = [];
    const takeToken: TakeToken = async ({ key }) => {
      keys.push(key);
      return { isTaken: true, fullAt: 0 };
    };
    const service = await aServiceWith({ ...perCaller, by: 'header:x-tenant' }, {}, takeToken);
    await service.get({ headers: { 'x-tenant': 'x'.repeat(8_000) } });
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });
});

describe('while the store fails', () => {
  const failing: TakeToken = async () => {
    throw new AppError(STORE_UNAVAILABLE, {});
  };

  test.each([
    [{}, 503],
    [{ onStoreFailure: 'closed' }, 503],
    [{ onStoreFailure: 'open' }, 200],
  ])('%j: %i', async (changes, status) => {
    const service = await aServiceWith({ ...twoPerMinute, ...changes }, {}, failing);
    expect(await service.status()).toBe(status);
  });

  test('a bug accepts nothing', async () => {
    const service = await aServiceWith({ ...twoPerMinute, onStoreFailure: 'open' }, {}, async () => {
      throw new TypeError('a bug');
    });
    expect(await service.status()).toBe(500);
  });
});

describe('a process that caches its buckets', () => {
  const bucket = { key: 'a', burst: 2, intervalUs: 1_000_000 };
  const NOW = 1_700_000_000_000_000;

  const aRememberingProcess = (maxBuckets = 10) => {
    const calls: (number | null)[] = [];
    const store = inMemoryBuckets();
    const take = rememberBuckets((...call) => {
      calls.push(call[2]);
      return store(...call);
    }, maxBuckets);
    return { take, calls };
  };

  test('asks the store no more often than a token can be there', async () => {
    const { take, calls } = aRememberingProcess();
    for (let count = 0; count < 1_000; count++) await take(bucket, NOW, null);
    expect(calls).toHaveLength(2);
    expect(await take(bucket, NOW + 1_000_000, null)).toMatchObject({ isTaken: true });
    expect(calls).toEqual([null, NOW + 1_000_000, NOW + 2_000_000]);
  });

  test('evicts the buckets that it has not used for longest', async () => {
    const { take, calls } = aRememberingProcess(2);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await take({ ...bucket, key }, NOW, null);
    expect(calls).toEqual([null, null, expect.any(Number), null, null].slice(0, calls.length));
  });
});

test.each<[JsonValue, string]>([
  [{ requests: 0, seconds: 1, per: 'path' }, '/requests'],
  [{ requests: 1, seconds: 1 }, ''],
  [{ requests: 1, seconds: 1, per: 'tenant' }, '/per'],
  [{ requests: 1_001, seconds: 1, per: 'path' }, '/requests'],
  [{ requests: 1, seconds: 1, per: 'path', by: 'ip' }, '/by'],
  [{ requests: 1, seconds: 1, per: 'caller', by: 'header:' }, '/by'],
  [{ requests: 1, seconds: 1, per: 'caller', by: 'credential' }, '/by'],
  [{ requests: 1, seconds: 1, per: 'caller', by: 'header:authorization' }, '/by'],
  [{ requests: 1, seconds: 1, per: 'caller', by: 'header:X-API-Key' }, '/by'],
  [{ requests: 1, seconds: 1, per: 'path', onStoreFailure: 'maybe' }, '/onStoreFailure'],
  [{ requests: 1, seconds: 1, per: 'path', limit: 1 }, ''],
])('%j is refused when it is stored', async (rateLimit, path) => {
  const nodes = [{ id: 'start', type: 'webhookTrigger', parameters: { rateLimit } }];
  const problems = await checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] });
  expect(problems).toEqual([{ path: `/nodes/0/parameters/rateLimit${path}`, message: expect.any(String) }]);
});
