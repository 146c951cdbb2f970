import { inspect } from 'node:util';
import { type CredentialType, completeRequest, type JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { SecretStoreOut } from '../../../lib/credentials/outbound/secret-store.ts';
import { CREDENTIAL_REJECTED, SECRETS_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { anOutboundService } from '../../support/outbound-credentials.ts';

const MAIL = { host: 'mail.example.com', username: 'ann' };
const API = 'https://api.example.com/orders';

/** Answers 200 to one token, and 401 to others. */
const accepting =
  (token: () => string) => (request: { readonly headers: Readonly<Record<string, string>> }) => ({
    status: request.headers.authorization === `Bearer ${token()}` ? 200 : 401,
  });

const lend = async (
  { credentials }: ReturnType<typeof anOutboundService>,
  id = 'crm',
  types = ['httpBearer'],
) => (await credentials.open()).lend(id, types);

/** A type with these secret fields and the public field `account`. */
const aType = (
  id: string,
  apply: NonNullable<CredentialType['apply']>,
  secretFields = ['key'],
  key: JsonObject = {},
): CredentialType => ({
  id,
  name: id,
  description: 'For tests',
  schema: {
    type: 'object',
    properties: {
      ...Object.fromEntries([...secretFields, 'account'].map((name) => [name, { type: 'string' }])),
      key: { type: 'string', ...key },
    },
  },
  secretFields,
  apply,
});

describe('a lent credential', () => {
  test.each([
    ['an optional secret that is empty', { key: '', other: 'the-other-1' }, ''],
    ['a secret of six characters', { key: 'sixsix', other: 'the-other-1' }, 'sixsix'],
    ['a pattern in its type that needs backtracking', { key: 'the-key', other: 'the-other-1' }, 'the-key'],
  ])('may have %s', async (_case, secret, key) => {
    const pattern = '^(?:(.*)|\\1)$';
    const service = anOutboundService({
      types: [aType('two', (request) => request, ['key', 'other'], { pattern })],
    });
    await service.put('crm', 'two', secret);
    expect((await lend(service, 'crm', ['two'])).field('key')).toBe(key);
  });

  test('gives its fields by name, and prints none of them', async () => {
    const service = anOutboundService();
    await service.put(
      'db',
      'postgres',
      { password: 'secret-password' },
      {
        host: 'db.example.com',
        database: 'shop',
        username: 'ann',
      },
    );
    const credential = await lend(service, 'db', ['postgres']);
    expect([credential.field('host'), credential.field('password'), credential.field('port')]).toEqual([
      'db.example.com',
      'secret-password',
      '',
    ]);
    expect(() => credential.field('pasword')).toThrow(
      'credentials of type "postgres" have no field "pasword"',
    );
    expect(JSON.parse(JSON.stringify(credential))).toEqual({ id: 'db', type: 'postgres' });
    expect(inspect(credential, { showHidden: true, depth: 9 })).not.toContain('secret-password');
    expect({ ...credential }).toEqual({ id: 'db', type: 'postgres' });
  });

  test('is looked up once a minute, and its secret read once in ten', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    await Promise.all([lend(service), lend(service)]);
    service.clock.advance(59_999);
    await lend(service);
    expect([service.finds(), service.reads()]).toEqual([1, 1]);
    service.clock.advance(1);
    await lend(service);
    service.clock.advance(539_999);
    await lend(service);
    expect([service.finds(), service.reads()]).toEqual([3, 1]);
    service.clock.advance(60_000);
    await lend(service);
    expect([service.finds(), service.reads()]).toEqual([4, 2]);
  });

  test('expires at random from four fifths of that time, so that sandboxes that began together do not read together again', async () => {
    const service = anOutboundService({ random: () => 0 });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    await lend(service);
    service.clock.advance(479_999);
    await lend(service);
    expect(service.reads()).toBe(1);
    service.clock.advance(60_000);
    await lend(service);
    expect(service.reads()).toBe(2);
  });

  test.each([
    ['a rotation', { revision: 2 }],
    ['a change of hosts', { revision: 2, hosts: ['api.example.com'] }],
  ])('has its secret read again within a minute of %s', async (_case, change) => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    await lend(service);
    const stored = await service.store.find('crm');
    await service.secrets.put('crm', '{"token":"token-2"}');
    if (stored !== null) await service.store.put({ ...stored, ...change });
    service.clock.advance(60_000);
    expect((await lend(service)).field('token')).toBe('token-2');
  });

  test('has its secret read again when it was removed and created for other hosts: they must not get the one before', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    await lend(service);
    const stored = await service.store.find('crm');
    if (stored === null) throw new Error('it is not stored');
    await service.store.remove(stored);
    await service.secrets.put('crm', '{"token":"token-2"}');
    await service.store.put({ ...stored, hosts: ['mine.example'] });
    service.clock.advance(60_000);
    expect((await lend(service)).field('token')).toBe('token-2');
  });

  test('has a secret with another owner read each minute', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', 'token-1');
    const stored = await service.store.find('crm');
    const reference = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:hookloom-dev/crm';
    service.secrets.values.set(reference, 'token-2');
    if (stored !== null) await service.store.put({ ...stored, reference, revision: 2 });
    expect((await lend(service)).field('token')).toBe('token-2');
    service.clock.advance(60_000);
    service.secrets.values.set(reference, 'token-3');
    expect((await lend(service)).field('token')).toBe('token-3');
  });

  test('stays cached when an earlier look-up of it fails late', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const { find } = service.store;
    const late = Promise.withResolvers<never>();
    service.store.find = () => late.promise;
    const failing = expect(lend(service)).rejects.toThrow('the table is out');
    await new Promise(setImmediate);
    service.store.find = find;
    service.clock.advance(60_000);
    const found = lend(service);
    await new Promise(setImmediate);
    late.reject(new Error('the table is out'));
    await Promise.all([failing, found]);
    const before = service.finds();
    await lend(service);
    expect(service.finds()).toBe(before);
  });

  test('has its secret read together with those of other nodes', async () => {
    const turns: number[] = [];
    let turn = 0;
    const service = anOutboundService({
      secrets: {
        get: async () => {
          turns.push(turn);
          return 'the-token';
        },
      },
    });
    const ids = ['a', 'b', 'c'];
    for (const id of ids) await service.put(id, 'httpBearer', 'the-token');
    const find = service.store.find;
    service.store.find = async (id) => {
      for (let left = ids.indexOf(id) * 3; left > 0; left--) await new Promise(setImmediate);
      return find(id);
    };
    const loan = await service.credentials.open({ credentialIds: ids });
    const lending = Promise.all(ids.map((id) => loan.lend(id, ['httpBearer'])));
    for (; turns.length < 3; turn++) await new Promise(setImmediate);
    expect(new Set(turns).size).toBe(1);
    expect((await lending).map((lent) => lent.field('token'))).toEqual(Array(3).fill('the-token'));
    const before = service.finds();
    await service.credentials.prefetch(ids);
    expect([turns.length, service.finds()]).toEqual([3, before]);
  });

  test('is lent even if another one of its workflow no longer exists', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', 'the-token');
    const loan = await service.credentials.open({ credentialIds: ['gone', 'crm'] });
    await new Promise(setImmediate); // an error that nobody handles would fail the test
    expect((await loan.lend('crm', ['httpBearer'])).field('token')).toBe('the-token');
    await expect(loan.lend('gone', ['httpBearer'])).rejects.toMatchObject({ name: 'CredentialMissing' });
  });

  test('may be plain text if its type has one secret', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', 'just-the-token');
    expect((await lend(service)).field('token')).toBe('just-the-token');
  });
});

describe('a credential is not lent', () => {
  test.each([
    ['that does not exist', 'CredentialMissing', 'there is no credential "crm"', async () => {}],
    [
      'whose secret no longer exists',
      'CredentialMissing',
      'the secret of credential "crm" no longer exists',
      async (service: ReturnType<typeof anOutboundService>) => {
        await service.put('crm', 'httpBearer', { token: 'token-1' });
        service.secrets.values.clear();
      },
    ],
    [
      'of a type that the node does not take',
      'CredentialUnusable',
      'credential "crm" has type smtp, but the node accepts httpBearer',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'smtp', { password: 'secret-1' }, MAIL),
    ],
    [
      'of a type that no plugin brings',
      'CredentialUnusable',
      'no installed plugin provides the credential type "gone"',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'gone', { token: 'token-1' }),
    ],
    [
      'whose secret is JSON of other values than texts',
      'CredentialUnusable',
      'the secret of credential "crm" must be a JSON object whose values are strings',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '{"token":1}'),
    ],
    [
      'whose secret is an empty object',
      'CredentialUnusable',
      'credential "crm" has no "token"',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '{}'),
    ],
    [
      'whose secret has an empty field',
      'CredentialUnusable',
      'credential "crm" has an empty "token"',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '{"token":""}'),
    ],
    [
      'whose secret has another field beside',
      'CredentialUnusable',
      'credential "crm" has fields that its type does not define',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'httpBearer', '{"token":"the-token-1","the-token-2":""}'),
    ],
    [
      'whose secret was written in part',
      'CredentialUnusable',
      'the secret of credential "crm" begins like a JSON object but is not valid JSON: it may be truncated',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'httpBearer', '{"token":"the-tok'),
    ],
    [
      'whose secret was written in part, after a line break',
      'CredentialUnusable',
      'the secret of credential "crm" begins like a JSON object but is not valid JSON',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '\n{"token"'),
    ],
    [
      'whose secret is empty',
      'CredentialUnusable',
      'the secret of credential "crm" is empty',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', ''),
    ],
    [
      'whose secret is a line break',
      'CredentialUnusable',
      'the secret of credential "crm" is empty',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '\r\n'),
    ],
    [
      'whose field does not match the schema',
      'CredentialUnusable',
      'credential "crm" has a "username" that its type does not allow (pattern)',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'httpBasic', { password: 'the-password' }, { username: 'a:b' }),
    ],
    [
      'that lacks a public field',
      'CredentialUnusable',
      'credential "crm" has no "username"',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'httpBasic', { password: 'the-password' }),
    ],
    [
      'that has half of the fields of its type in a plain text',
      'CredentialUnusable',
      'the secret of credential "crm" must be a JSON object whose values are strings',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'tlsClient', '-----BEGIN KEY-----'),
    ],
    [
      'whose secret is too short to be found in a text',
      'CredentialUnusable',
      'its token has fewer than 6 characters',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', { token: 'abc' }),
    ],
  ])('%s', async (_case, name, message, prepare) => {
    const service = anOutboundService();
    await prepare(service);
    await expect(lend(service)).rejects.toMatchObject({ name, message: expect.stringContaining(message) });
    await expect(lend(service)).rejects.not.toThrow(/the-tok|token-2|a:b/);
    await expect(service.credentials.prefetch(['crm'])).resolves.toBeUndefined();
    expect(service.server.requests).toEqual([]);
  });

  test.each([
    [[], 'none'],
    [['httpBasic', 'httpBearer'], 'httpBasic, httpBearer'],
  ])('to a node that takes the types %j', async (types, accepted) => {
    const service = anOutboundService();
    await service.put('crm', 'smtp', { password: 'secret-1' }, MAIL);
    await expect(lend(service, 'crm', types)).rejects.toThrow(
      `credential "crm" has type smtp, but the node accepts ${accepted}`,
    );
  });

  test('whose secret is plain text, when its type has no secret', async () => {
    const service = anOutboundService({ types: [aType('open', (request) => request, [])] });
    await service.put('crm', 'open', 'a-plain-text');
    await expect(lend(service, 'crm', ['open'])).rejects.toThrow(
      'the secret of credential "crm" must be a JSON object whose values are strings',
    );
  });

  test('while its secret is missing, and the next attempt finds it', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', 'token-1');
    service.secrets.values.clear();
    await expect(lend(service)).rejects.toMatchObject({ name: 'CredentialMissing' });
    service.secrets.values.set('memory:crm', 'token-2');
    expect((await lend(service)).field('token')).toBe('token-2');
  });

  test('while the secret store throttles, and the next attempt reads it again', async () => {
    let isThrottled = true;
    const service = anOutboundService({
      secrets: {
        get: async () => {
          if (isThrottled) throw new AppError(SECRETS_UNAVAILABLE, {});
          return '{"token":"token-1"}';
        },
      },
    });
    await service.put('crm', 'httpBearer', {});
    await expect(lend(service)).rejects.toMatchObject({ name: 'CredentialUnavailable' });
    await expect(service.credentials.prefetch(['crm'])).rejects.toMatchObject({
      code: 'SECRETS_UNAVAILABLE',
    });
    isThrottled = false;
    expect((await lend(service)).field('token')).toBe('token-1');
  });

  test('and it waits for a throttling store as long as the execution may, but not where the secret is cached', async () => {
    const waits: (number | undefined)[] = [];
    const service = anOutboundService({
      secrets: {
        get: async (_reference, maxWaitMs) => {
          waits.push(maxWaitMs);
          return 'the-token';
        },
      },
    });
    await service.put('crm', 'httpBearer', {});
    const lendFor = async (maxWaitMs: number) =>
      (await service.credentials.open({ maxWaitMs })).lend('crm', ['httpBearer']);
    await lendFor(180_000);
    service.clock.advance(600_000);
    await lendFor(180_000);
    service.clock.advance(3_600_000);
    await service.credentials.prefetch(['crm'], 14_000);
    expect(waits).toEqual([180_000, 0, 14_000]);
  });
});

describe('a cached secret is lent while the store', () => {
  const outage = new AppError(SECRETS_UNAVAILABLE, {}, new SecretStoreOut('out', { isThrottled: true }));

  test('throttles, for a cause that its error keeps', () => {
    const cause = new Error('no socket');
    expect(new SecretStoreOut('out', { isThrottled: false, cause })).toMatchObject({
      name: 'SecretStoreOut',
      cause,
    });
  });

  const aStoreThatFails = async (error: Error) => {
    let isOut = false;
    const service = anOutboundService({
      secrets: {
        get: async () => {
          if (isOut) throw error;
          return 'the-token';
        },
      },
    });
    await service.put('crm', 'httpBearer', {});
    await lend(service);
    isOut = true;
    return service;
  };

  test('throttles, for an hour', async () => {
    const service = await aStoreThatFails(outage);
    service.clock.advance(600_000);
    expect((await lend(service)).field('token')).toBe('the-token');
    service.clock.advance(2_999_999);
    expect((await lend(service)).field('token')).toBe('the-token');
    service.clock.advance(60_000);
    await expect(lend(service)).rejects.toMatchObject({ name: 'CredentialUnavailable' });
  });

  test('throttles, but not after a rotation or when its credential was removed', async () => {
    const service = await aStoreThatFails(outage);
    service.clock.advance(600_000);
    await service.put('crm', 'httpBearer', 'token-2');
    await expect(lend(service)).rejects.toMatchObject({ name: 'CredentialUnavailable', cause: outage });
    await service.store.remove({ id: 'crm', revision: 2 });
    await expect(lend(service)).rejects.toMatchObject({ name: 'CredentialMissing' });
  });

  test('is down, but not when it refuses the secret', async () => {
    const service = await aStoreThatFails(new AppError(SECRETS_UNAVAILABLE, {}, new Error('denied')));
    service.clock.advance(600_000);
    await expect(lend(service)).rejects.toMatchObject({ name: 'CredentialUnavailable' });
  });
});

describe('a request with a credential', () => {
  test('carries it, and one without does not', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    await service.credentials.request({ ...anOutboundRequest(API), credential });
    await service.credentials.request(anOutboundRequest(API));
    expect(service.server.requests).toMatchObject([
      { headers: { authorization: 'Bearer token-1' } },
      { headers: {} },
    ]);
    expect(service.server.requests[0]).not.toHaveProperty('credential');
  });

  test('is sent once more with the new secret after a rotation, for every refused request', async () => {
    const service = anOutboundService({ answer: accepting(() => 'token-2') });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    await service.put('crm', 'httpBearer', { token: 'token-2' });
    const send = () => service.credentials.request({ ...anOutboundRequest(API), credential });
    const responses = await Promise.all([send(), send(), send()]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(service.reads()).toBe(2);
  });

  test('is sent once more with a secret replaced in its store, which is kept', async () => {
    const service = anOutboundService({ answer: accepting(() => 'token-2') });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    await service.secrets.put('crm', '{"token":"token-2"}');
    const send = () => service.credentials.request({ ...anOutboundRequest(API), credential });
    expect(await send()).toMatchObject({ status: 200 });
    expect(service.server.requests).toHaveLength(2);
    service.clock.advance(60_000);
    expect(await send()).toMatchObject({ status: 200 });
    expect([service.server.requests.length, service.reads()]).toEqual([3, 2]);
  });

  test('that keeps being refused has its secret read ever less often, and at once after a rotation', async () => {
    let accepted = 'none';
    const service = anOutboundService({ answer: accepting(() => accepted) });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    const send = () => service.credentials.request({ ...anOutboundRequest(API), credential });
    const readAt: number[] = [];
    for (let second = 0; second <= 300; second++) {
      const before = service.reads();
      expect(await send()).toMatchObject({ status: 401 });
      if (service.reads() > before) readAt.push(second);
      service.clock.advance(1_000);
    }
    expect(readAt).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 124, 184, 244]);
    await service.put('crm', 'httpBearer', { token: 'token-2' });
    accepted = 'token-2';
    expect(await send()).toMatchObject({ status: 200 });
  });

  test('that is refused after its secret was replaced has it read again at once', async () => {
    let accepted = 'none';
    const service = anOutboundService({ answer: accepting(() => accepted) });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    const sendWith = async (token: string) => {
      accepted = token;
      await service.secrets.put('crm', JSON.stringify({ token }));
      return (await service.credentials.request({ ...anOutboundRequest(API), credential })).status;
    };
    for (let second = 0; second < 10; second++) {
      await service.credentials.request({ ...anOutboundRequest(API), credential });
      service.clock.advance(1_000);
    }
    service.clock.advance(60_000);
    expect(await sendWith('token-2')).toBe(200);
    expect(await sendWith('token-3')).toBe(200);
    accepted = 'none';
    await service.credentials.request({ ...anOutboundRequest(API), credential });
    service.clock.advance(1_000);
    expect(await sendWith('token-4')).toBe(200);
  });

  test('that is refused leaves the second request only the remaining time', async () => {
    const times: unknown[] = [];
    const service = anOutboundService({
      answer: ({ timeoutMs, headers }) => {
        times.push(timeoutMs);
        service.clock.advance(3_000);
        return { status: headers.authorization === 'Bearer token-2' ? 200 : 401 };
      },
    });
    await service.put('crm', 'httpBearer', 'token-1');
    const credential = await lend(service);
    await service.put('crm', 'httpBearer', 'token-2');
    const request = { ...anOutboundRequest(API), timeoutMs: 10_000, credential };
    expect(await service.credentials.request(request)).toMatchObject({ status: 200 });
    expect(times).toEqual([10_000, 7_000]);
  });

  test('that is refused has a secret with another owner read again each time', async () => {
    const service = anOutboundService({ answer: () => ({ status: 401 }) });
    await service.put('crm', 'httpBearer', 'token-1');
    const stored = await service.store.find('crm');
    const reference = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:hookloom-dev/crm';
    service.secrets.values.set(reference, 'token-2');
    if (stored !== null) await service.store.put({ ...stored, reference, revision: 2 });
    const credential = await lend(service);
    for (let count = 0; count < 3; count++)
      await service.credentials.request({ ...anOutboundRequest(API), credential });
    expect(service.reads()).toBe(4);
  });

  test('whose type has replaced a field uses that while another secret is kept', async () => {
    const service = anOutboundService({
      types: [
        aType(
          'renewing',
          async (request, { key = '' }, { renewSecrets }) => {
            if (key === 'first-key')
              await renewSecrets?.({ isRenewed: () => false, renew: async () => ({ key: 'second-key' }) });
            return request;
          },
          ['key', 'other'],
        ),
      ],
    });
    await service.put('crm', 'renewing', { key: 'first-key', other: 'other-secret' }, { account: 'ann' });
    const credential = await lend(service, 'crm', ['renewing']);
    await service.credentials.request({ ...anOutboundRequest(API), credential });
    expect(JSON.parse(service.secrets.values.get('memory:crm') ?? '')).toEqual({
      key: 'second-key',
      other: 'other-secret',
    });
    for (let minute = 0; minute < 10; minute++) {
      const lent = await lend(service, 'crm', ['renewing']);
      expect(['key', 'other', 'account'].map((name) => lent.field(name))).toEqual([
        'second-key',
        'other-secret',
        'ann',
      ]);
      service.clock.advance(60_000);
    }
  });

  test('whose type finds it rejected before it is sent is loaded again, and the type gets the rejected fields', async () => {
    const rejections: unknown[] = [];
    const service = anOutboundService({
      types: [
        aType('signed', (request, { key = '' }, { rejected }) => {
          rejections.push(rejected);
          if (key === 'broken-key') throw new RangeError('broken');
          if (key === 'first-key')
            throw new AppError(CREDENTIAL_REJECTED, { target: 'acme', reason: 'expired' });
          return { ...request, headers: { ...request.headers, 'x-key': key } };
        }),
      ],
    });
    await service.put('crm', 'signed', { key: 'first-key' });
    const credential = await lend(service, 'crm', ['signed']);
    await service.put('crm', 'signed', { key: 'second-key' });
    const send = () => service.credentials.request({ ...anOutboundRequest(API), credential });
    expect(await send()).toMatchObject({ status: 200 });
    expect(rejections).toEqual([undefined, { key: 'first-key' }]);
    expect(service.server.requests).toMatchObject([{ headers: { 'x-key': 'second-key' } }]);
    await service.put('crm', 'signed', { key: 'broken-key' });
    service.clock.advance(60_000);
    await expect(send()).rejects.toThrow('broken');
    expect(rejections).toHaveLength(3);
  });

  test('gives its type the same fields while they and the type do not change, so that a token stays valid', async () => {
    const seen: unknown[] = [];
    const keeps: CredentialType['apply'] = (request, fields) => {
      seen.push(fields);
      return request;
    };
    const service = anOutboundService({ types: [aType('one', keeps), aType('two', keeps)] });
    const send = async (type: string) => {
      await service.put('crm', type, { key: 'the-key' });
      service.clock.advance(60_000);
      const credential = await lend(service, 'crm', [type]);
      await service.credentials.request({ ...anOutboundRequest(API), credential });
    };
    for (const type of ['one', 'one', 'two']) await send(type);
    expect(seen[0]).toEqual({ key: 'the-key' });
    expect(seen[1]).toBe(seen[0]);
    expect(seen[2]).not.toBe(seen[0]);
  });

  test('that is refused has its secret read again when the clock was set back, but not at the same time', async () => {
    const service = anOutboundService({ answer: () => ({ status: 401 }) });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    const reads: number[] = [];
    for (const ms of [0, 0, -10]) {
      service.clock.advance(ms);
      await service.credentials.request({ ...anOutboundRequest(API), credential });
      reads.push(service.reads());
    }
    // When the clock was set back: once for the caches, once because it is refused.
    expect(reads).toEqual([2, 2, 4]);
  });

  test.each([
    ['whose body is text', 'httpBearer', { token: 'token-1' }, { token: 'token-2' }, {}],
    [
      'with the credential in its URL',
      'httpQuery',
      { value: 'value-1' },
      { value: 'value-2' },
      { name: 'key' },
    ],
  ])('%s is sent once more after a rotation', async (_case, type, before, after, fields) => {
    const service = anOutboundService({ answer: () => ({ status: 401 }) });
    await service.put('crm', type, before, fields);
    const credential = await lend(service, 'crm', [type]);
    await service.put('crm', type, after, fields);
    const request = anOutboundRequest(API, { method: 'POST', body: 'an order' });
    await service.credentials.request({ ...request, credential });
    expect(service.server.requests.map(({ body }) => body)).toEqual(['an order', 'an order']);
    expect(JSON.stringify(service.server.requests)).toMatch(/-1.*-2/);
  });

  test('to what is no URL is left to the HTTP client, which refuses it, unless the type sets the URL', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    await service.put('chat', 'slackWebhook', { url: 'https://hooks.slack.com/services/1' });
    const send = async (id: string, type: string) =>
      service.credentials.request({
        ...anOutboundRequest('no URL'),
        credential: await lend(service, id, [type]),
      });
    await send('crm', 'httpBearer');
    await send('chat', 'slackWebhook');
    expect(service.server.requests).toMatchObject([
      { url: 'no URL', headers: {} },
      { url: 'https://hooks.slack.com/services/1' },
    ]);
    expect(service.server.requests[0]?.headers).toEqual({});
  });

  test('that is refused after another one has renewed the credential reads nothing', async () => {
    const held = Promise.withResolvers<void>();
    const service = anOutboundService({
      http: {
        request: async (options) => {
          const { headers, url } = completeRequest(options);
          if (url.endsWith('/slow')) await held.promise;
          const status = headers.authorization === 'Bearer token-2' ? 200 : 401;
          return { status, headers: {}, body: new Uint8Array(), stream: null, url };
        },
      },
    });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    await service.put('crm', 'httpBearer', { token: 'token-2' });
    const send = (path: string) =>
      service.credentials.request({ ...anOutboundRequest(`https://api.example.com${path}`), credential });
    const slow = send('/slow');
    expect(await send('/quick')).toMatchObject({ status: 200 });
    const before = [service.finds(), service.reads()];
    held.resolve();
    expect(await slow).toMatchObject({ status: 200 });
    expect([service.finds(), service.reads()]).toEqual(before);
  });

  test('fails when the refused secret cannot be read again', async () => {
    let isOut = false;
    const service = anOutboundService({
      answer: accepting(() => 'token-2'),
      secrets: {
        get: async () => {
          if (isOut)
            throw new AppError(SECRETS_UNAVAILABLE, {}, new SecretStoreOut('out', { isThrottled: true }));
          return 'token-1';
        },
      },
    });
    await service.put('crm', 'httpBearer', {});
    const credential = await lend(service);
    isOut = true;
    const sending = service.credentials.request({ ...anOutboundRequest(API), credential });
    await expect(sending).rejects.toMatchObject({ name: 'CredentialUnavailable' });
    expect((await lend(service)).field('token')).toBe('token-1');
  });

  test('is not sent again when its body is a stream; a replaced response has its stream closed', async () => {
    const closed: string[] = [];
    const aStream = async function* () {
      try {
        yield new Uint8Array(1);
      } finally {
        closed.push('closed');
      }
    };
    const refused = aStream();
    const service = anOutboundService({
      answer: (request) => ({ ...accepting(() => 'token-2')(request), stream: refused }),
    });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    await service.put('crm', 'httpBearer', { token: 'token-2' });
    const streamed = { ...anOutboundRequest(API, { method: 'POST', body: aStream() }), credential };
    expect(await service.credentials.request(streamed)).toMatchObject({ status: 401 });
    expect(closed).toEqual([]);
    const request = { ...anOutboundRequest(API), streamsBody: true, credential } as const;
    expect(await service.credentials.request(request)).toMatchObject({ status: 200 });
    expect(closed).toEqual(['closed']);
  });

  test('is not sent again when the secret is the same', async () => {
    const service = anOutboundService({ answer: () => ({ status: 401 }) });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    expect(await service.credentials.request({ ...anOutboundRequest(API), credential })).toMatchObject({
      status: 401,
    });
    expect(service.server.requests).toHaveLength(1);
  });

  test('never goes out without it: neither when the secret cannot be read, nor with one that was not lent', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    service.clock.advance(600_000);
    service.secrets.values.clear();
    const request = anOutboundRequest(API);
    await expect(service.credentials.request({ ...request, credential })).rejects.toMatchObject({
      name: 'CredentialMissing',
    });
    await expect(
      service.credentials.request({
        ...request,
        credential: {
          id: 'crm',
          type: 'httpBearer',
          field: () => '',
          checkHost: () => {},
          refresh: async () => null,
        },
      }),
    ).rejects.toThrow('the credential that was lent to its node');
    expect(service.server.requests).toEqual([]);
  });

  test('is refused for a type that only provides its fields', async () => {
    const service = anOutboundService();
    await service.put('mail', 'smtp', { password: 'secret-1' }, MAIL);
    const credential = await lend(service, 'mail', ['smtp']);
    await expect(
      service.credentials.request({ ...anOutboundRequest(API), credential }),
    ).rejects.toMatchObject({
      name: 'CredentialUnusable',
      message: expect.stringContaining(
        "type smtp provides its fields to nodes and can't be added to a request",
      ),
    });
  });

  test('is lent again after a rotation, and its new secret is known to the execution', async () => {
    const service = anOutboundService();
    await service.put('mail', 'smtp', { password: 'secret-1' }, MAIL);
    const loan = await service.credentials.open();
    const credential = await loan.lend('mail', ['smtp']);
    expect(await credential.refresh()).toBe(null);
    await service.put('mail', 'smtp', { password: 'secret-2' }, MAIL);
    const rotated = await credential.refresh();
    expect(rotated?.field('password')).toBe('secret-2');
    expect(credential.field('password')).toBe('secret-1');
    expect(loan.scrub('secret-1 secret-2')).toBe('[redacted] [redacted]');
    expect(JSON.stringify([credential, rotated])).not.toContain('secret');
  });

  test('reads a refused credential again once for all that hold it', async () => {
    const service = anOutboundService();
    await service.put('mail', 'smtp', { password: 'secret-1' }, MAIL);
    const credential = await lend(service, 'mail', ['smtp']);
    await service.put('mail', 'smtp', { password: 'secret-2' }, MAIL);
    const before = service.reads();
    const rotated = await Promise.all([credential.refresh(), credential.refresh(), credential.refresh()]);
    expect(rotated.map((each) => each?.field('password'))).toEqual(Array(3).fill('secret-2'));
    expect(service.reads()).toBe(before + 1);
  });

  test('is not lent one of another type or one that no longer exists', async () => {
    const service = anOutboundService();
    await service.put('mail', 'smtp', { password: 'secret-1' }, MAIL);
    const credential = await lend(service, 'mail', ['smtp']);
    await service.put('mail', 'postgres', { password: 'secret-2' }, { ...MAIL, database: 'shop' });
    await expect(credential.refresh()).rejects.toMatchObject({ name: 'CredentialUnusable' });
    service.secrets.values.clear();
    service.clock.advance(600_000);
    await expect(credential.refresh()).rejects.toMatchObject({ name: 'CredentialMissing' });
  });

  test('adds what its type derives from the secret to the secrets of the execution', async () => {
    const service = anOutboundService({
      types: [
        {
          id: 'derived',
          name: 'Derived',
          description: 'For tests',
          schema: { type: 'object', properties: { key: { type: 'string' } } },
          secretFields: ['key'],
          apply: (request) => ({
            ...request,
            url: `${request.url}?page=page-number-1&sig=derived-parameter`,
            headers: { ...request.headers, authorization: 'Token derived-token', 'user-agent': 'an agent' },
          }),
        },
      ],
    });
    await service.put('crm', 'derived', { key: 'the-key' });
    const loan = await service.credentials.open();
    const credential = await loan.lend('crm', ['derived']);
    await service.credentials.request({ ...anOutboundRequest(API), credential });
    expect(loan.scrub(['derived-token', 'derived-parameter', 'the-key', 'an agent'])).toEqual([
      '[redacted]',
      '[redacted]',
      '[redacted]',
      'an agent',
    ]);
  });
});
