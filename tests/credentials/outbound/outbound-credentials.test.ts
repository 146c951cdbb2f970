import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
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

describe('a credential that is lent', () => {
  test('gives its fields by name, and shows none of them', async () => {
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
      'credentials of the type "postgres" have no field "pasword"',
    );
    expect(JSON.parse(JSON.stringify(credential))).toEqual({ id: 'db', type: 'postgres' });
    expect(inspect(credential, { showHidden: true, depth: 9 })).not.toContain('secret-password');
    expect({ ...credential }).toEqual({ id: 'db', type: 'postgres' });
  });

  test('is loaded once a minute', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    await Promise.all([lend(service), lend(service)]);
    service.clock.advance(59_000);
    await lend(service);
    expect(service.reads()).toBe(1);
    service.clock.advance(1_000);
    await lend(service);
    expect(service.reads()).toBe(2);
  });

  test('may be a plain text where its type has one secret', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', 'just-the-token');
    expect((await lend(service)).field('token')).toBe('just-the-token');
  });
});

describe('no credential is lent', () => {
  test.each([
    ['that does not exist', 'CredentialMissing', 'there is no credential "crm"', async () => {}],
    [
      'whose secret is gone',
      'CredentialMissing',
      'the secret of the credential "crm" is gone',
      async (service: ReturnType<typeof anOutboundService>) => {
        await service.put('crm', 'httpBearer', { token: 'token-1' });
        service.secrets.values.clear();
      },
    ],
    [
      'of a type that the node does not take',
      'CredentialUnusable',
      'the credential "crm" is of the type smtp; the node takes httpBearer',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'smtp', { password: 'secret-1' }, MAIL),
    ],
    [
      'of a type that no plugin brings',
      'CredentialUnusable',
      'no installed plugin brings the credential type "gone"',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'gone', { token: 'token-1' }),
    ],
    [
      'whose secret is JSON of other values than texts',
      'CredentialUnusable',
      'the secret of the credential "crm" must be a JSON object whose values are strings',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '{"token":1}'),
    ],
    [
      'whose secret is an empty object',
      'CredentialUnusable',
      'the credential "crm" has no "token"',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '{}'),
    ],
    [
      'whose secret has an empty field',
      'CredentialUnusable',
      'the credential "crm" has an empty "token"',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '{"token":""}'),
    ],
    [
      'whose secret has another field beside',
      'CredentialUnusable',
      'the credential "crm" has other fields than those of its type',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'httpBearer', '{"token":"the-token-1","the-token-2":""}'),
    ],
    [
      'whose secret was written in part',
      'CredentialUnusable',
      'the secret of the credential "crm" begins like a JSON object and is none: it may have been written in part',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'httpBearer', '{"token":"the-tok'),
    ],
    [
      'whose secret was written in part, after a line break',
      'CredentialUnusable',
      'the secret of the credential "crm" begins like a JSON object and is none',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '\n{"token"'),
    ],
    [
      'whose secret is empty',
      'CredentialUnusable',
      'the secret of the credential "crm" is empty',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', ''),
    ],
    [
      'whose secret is a line break',
      'CredentialUnusable',
      'the secret of the credential "crm" is empty',
      (service: ReturnType<typeof anOutboundService>) => service.put('crm', 'httpBearer', '\r\n'),
    ],
    [
      'whose field does not match the schema',
      'CredentialUnusable',
      'the credential "crm" has a "username" that its type refuses (pattern)',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'httpBasic', { password: 'the-password' }, { username: 'a:b' }),
    ],
    [
      'that lacks a public field',
      'CredentialUnusable',
      'the credential "crm" has no "username"',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'httpBasic', { password: 'the-password' }),
    ],
    [
      'that has half of the fields of its type in a plain text',
      'CredentialUnusable',
      'the secret of the credential "crm" must be a JSON object whose values are strings',
      (service: ReturnType<typeof anOutboundService>) =>
        service.put('crm', 'tlsClient', '-----BEGIN KEY-----'),
    ],
    [
      'whose secret is too short to be found in a text',
      'CredentialUnusable',
      'its token has less than 6 characters',
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

  test('while the secret store throttles, and the next attempt reads it again', async () => {
    let isThrottled = true;
    const service = anOutboundService({
      secrets: {
        get: async () => {
          if (isThrottled) throw new AppError('SECRETS_UNAVAILABLE', {});
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
});

describe('a request with a credential', () => {
  test('carries it, and none without', async () => {
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

  test('is sent once more with the new secret after a rotation, by all that were refused', async () => {
    const service = anOutboundService({ answer: accepting(() => 'token-2') });
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    await service.put('crm', 'httpBearer', { token: 'token-2' });
    const send = () => service.credentials.request({ ...anOutboundRequest(API), credential });
    const responses = await Promise.all([send(), send(), send()]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(service.reads()).toBe(2);
  });

  test('is not sent again when its body is a stream; of an answer that is replaced, the stream is closed', async () => {
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

  test('never goes out without it: not when the secret can not be read, nor with one that was not lent', async () => {
    const service = anOutboundService();
    await service.put('crm', 'httpBearer', { token: 'token-1' });
    const credential = await lend(service);
    service.clock.advance(60_000);
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
    ).rejects.toThrow('the credential that its node was lent');
    expect(service.server.requests).toEqual([]);
  });

  test('is refused for a type that lends its fields', async () => {
    const service = anOutboundService();
    await service.put('mail', 'smtp', { password: 'secret-1' }, MAIL);
    const credential = await lend(service, 'mail', ['smtp']);
    await expect(service.credentials.request({ ...anOutboundRequest(API), credential })).rejects.toThrow(
      "the type smtp lends its fields to a node and can't be added to a request",
    );
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

  test('is read again once for all that hold the refused one', async () => {
    const service = anOutboundService();
    await service.put('mail', 'smtp', { password: 'secret-1' }, MAIL);
    const credential = await lend(service, 'mail', ['smtp']);
    await service.put('mail', 'smtp', { password: 'secret-2' }, MAIL);
    const before = service.reads();
    const rotated = await Promise.all([credential.refresh(), credential.refresh(), credential.refresh()]);
    expect(rotated.map((each) => each?.field('password'))).toEqual(Array(3).fill('secret-2'));
    expect(service.reads()).toBe(before + 1);
  });

  test('is not lent again as another type, nor when it is gone', async () => {
    const service = anOutboundService();
    await service.put('mail', 'smtp', { password: 'secret-1' }, MAIL);
    const credential = await lend(service, 'mail', ['smtp']);
    await service.put('mail', 'postgres', { password: 'secret-2' }, { ...MAIL, database: 'shop' });
    await expect(credential.refresh()).rejects.toMatchObject({ name: 'CredentialUnusable' });
    service.secrets.values.clear();
    service.clock.advance(60_000);
    await expect(credential.refresh()).rejects.toMatchObject({ name: 'CredentialMissing' });
  });

  test('teaches the execution what its type has derived from the secret', async () => {
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
