import type { CredentialFields, CredentialType } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import {
  askedFieldsOf,
  type CheckFields,
  draftOutbound,
  publicFieldsOf,
  rotateOutbound,
} from '../../../lib/credentials/outbound/outbound-rules.ts';
import { httpBearer, slackWebhook } from '../../../nodes/credential-types/http-types.ts';
import { oauth2 } from '../../../nodes/credential-types/oauth2.ts';
import { postgres, signingSecret } from '../../../nodes/credential-types/server-types.ts';
import { checkSchema } from '../../../packages/authoring/validation/schema/check-schema.ts';

const check: CheckFields = (schema, fields) => checkSchema(schema, fields, '');

/** A type with the public fields `account` and `testUrl`, and the secret field `key`. */
const aType = (others: Partial<CredentialType> = {}): CredentialType => ({
  id: 'sample',
  name: 'Sample',
  description: 'For tests',
  schema: {
    type: 'object',
    properties: { account: { type: 'string' }, testUrl: { type: 'string' }, key: { type: 'string' } },
    additionalProperties: false,
  },
  secretFields: ['key'],
  ...others,
});

const applied = { apply: (request) => request } satisfies Partial<CredentialType>;

const draft = (type: CredentialType, given: Partial<Parameters<typeof draftOutbound>[1]> = {}) =>
  draftOutbound(type, { fields: {}, secrets: {}, hosts: undefined, isBound: false, ...given }, check);

/** The parameters of the AppError that a call throws. */
const refusalOf = (call: () => unknown): unknown => {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
};

const refusedFor = (...errors: readonly (readonly [pointer: string, detail: string])[]) =>
  expect.objectContaining({
    code: 'CREDENTIAL_INVALID',
    parameters: {
      count: errors.length,
      errors: errors.map(([pointer, detail]) => ({ pointer, detail: expect.stringContaining(detail) })),
    },
  });

const OAUTH2_FIELDS = { tokenUrl: 'https://login.example.com/token', clientId: 'shop' };

describe('a field that the service maintains', () => {
  test('is not asked for', () => {
    expect(publicFieldsOf(oauth2)).not.toContain('accessTokenExpiresAt');
    expect(publicFieldsOf(oauth2)).toContain('clientId');
    expect(askedFieldsOf(oauth2)).toEqual(['clientSecret', 'refreshToken']);
  });

  test("can't be set among the public fields", () => {
    const fields = { ...OAUTH2_FIELDS, accessTokenExpiresAt: '9' };
    expect(refusalOf(() => draft(oauth2, { fields, hosts: ['a.example'] }))).toEqual(
      refusedFor(['#/fields/accessTokenExpiresAt', 'is not a field of oauth2']),
    );
  });

  test('is dropped by a rotation: it belonged to the replaced secret', () => {
    const known = {
      clientSecret: 'client-secret-1',
      refreshToken: 'refresh-1',
      accessToken: 'access-1',
      accessTokenExpiresAt: '1764274800000',
    };
    const credential = { fields: OAUTH2_FIELDS, hosts: ['a.example'] };
    const { secrets } = rotateOutbound(oauth2, credential, known, { refreshToken: 'refresh-2' }, check);
    expect(secrets).toStrictEqual({ clientSecret: 'client-secret-1', refreshToken: 'refresh-2' });
  });
});

describe('the public fields of a new credential', () => {
  test('have defaults only where the type has', () => {
    const secrets = { clientSecret: 'client-secret-1' };
    expect(draft(oauth2, { fields: OAUTH2_FIELDS, secrets, hosts: ['a.example'] }).fields).toStrictEqual({
      grant: 'clientCredentials',
      clientAuthentication: 'header',
      ...OAUTH2_FIELDS,
    });
  });

  test('are named with at most 64 characters, of at most 50 wrong ones', () => {
    const long = 'a'.repeat(64);
    const names = [`${long}bc`, ...Array.from({ length: 50 }, (_, index) => `unknown${index}`)];
    const fields = Object.fromEntries(names.map((name) => [name, 'x']));
    const refusal = refusalOf(() => draft(aType(), { fields })) as { readonly parameters: unknown };
    expect(refusal.parameters).toEqual({ count: 51, errors: expect.any(Array) });
    const { errors } = refusal.parameters as { readonly errors: readonly { readonly pointer: string }[] };
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      `#/fields/${long}`,
      ...names.slice(1, 50).map((name) => `#/fields/${name}`),
    ]);
  });
});

describe('a secret field', () => {
  test.each([['sixsix'], [' sixsix '], ['whsec_1']])('may be %j', (key) => {
    expect(() => draft(aType(), { secrets: { key } })).not.toThrow();
  });

  test.each([['five5'], [' five5 '], ['      '], ['whsec_']])('may not be %j', (key) => {
    expect(refusalOf(() => draft(aType(), { secrets: { key } }))).toEqual(
      refusedFor(['#/secrets/key', 'needs at least 6 characters']),
    );
  });

  test('may be empty if it is optional', () => {
    expect(() => draft(aType(), { secrets: { key: '' } })).not.toThrow();
  });

  test('that its type does not allow is named, and nothing of it is shown', () => {
    const schema = {
      ...aType().schema,
      properties: { key: { enum: ['the-first-key', 'the-second-key'] } },
    };
    const refusal = refusalOf(() => draft(aType({ schema }), { secrets: { key: 'the-secnd-key' } }));
    expect(refusal).toEqual(refusedFor(['#/secrets/key', 'is not valid']));
    expect(JSON.stringify(refusal)).not.toContain('the-se');
  });

  test('and the others have together at most 8,192 bytes as JSON', () => {
    const around = '{"key":""}'.length;
    const ofBytes = (bytes: number) => ({ key: 'ü'.repeat(2) + 'x'.repeat(bytes - around - 4) });
    expect(() => draft(aType(), { secrets: ofBytes(8_192) })).not.toThrow();
    expect(refusalOf(() => draft(aType(), { secrets: ofBytes(8_193) }))).toEqual(
      refusedFor(['#/secrets', 'has 8193 bytes as JSON; the limit is 8192']),
    );
  });
});

describe('a secret that is stored elsewhere', () => {
  const login = { host: 'db.example.com', database: 'shop', username: 'ann', password: 'the-password' };

  test('may have public fields, of any length', () => {
    expect(() => draft(postgres, { secrets: login, isBound: true })).not.toThrow();
    expect(refusalOf(() => draft(postgres, { secrets: login }))).toEqual(
      refusedFor(
        ['#/secrets/host', 'is not secret'],
        ['#/secrets/database', 'is not secret'],
        ['#/secrets/username', 'is not secret'],
      ),
    );
  });

  test('is not shown when one of these is invalid', () => {
    const secrets = { ...login, sslmode: 'the-password' };
    const refusal = refusalOf(() => draft(postgres, { secrets, isBound: true }));
    expect(refusal).toEqual(refusedFor(['#/secrets/sslmode', 'is not valid']));
    expect(JSON.stringify(refusal)).not.toContain('the-password');
  });
});

describe('the replaced value of a secret field', () => {
  const rotate = (known: CredentialFields, given: CredentialFields) =>
    rotateOutbound(signingSecret, { fields: {}, hosts: [] }, known, given, check).secrets;

  test.each([
    [{ secret: 'secret-1' }, { secret: 'secret-2' }, { secret: 'secret-2', previous: 'secret-1' }],
    [
      { secret: 'secret-2', previous: 'secret-1' },
      { secret: 'secret-3' },
      { secret: 'secret-3', previous: 'secret-2' },
    ],
    [{ secret: 'secret-2', previous: 'secret-1' }, {}, { secret: 'secret-2', previous: 'secret-1' }],
    [
      { secret: 'secret-2', previous: 'secret-1' },
      { secret: 'secret-2' },
      { secret: 'secret-2', previous: 'secret-1' },
    ],
    [{ secret: 'secret-1' }, { secret: 'secret-1' }, { secret: 'secret-1' }],
    [{}, { secret: 'secret-1' }, { secret: 'secret-1' }],
  ])('of %j with %j is kept: %j', (known, given, secrets) => {
    expect(rotate(known, given)).toStrictEqual(secrets);
  });
});

describe('the hosts of a new credential', () => {
  const secrets = { token: 'the-token-1' };

  test('are normalised, each once', () => {
    const hosts = ['A.example', 'a.example', '*.b.example:0443'];
    expect(draft(httpBearer, { secrets, hosts }).hosts).toEqual(['a.example', '*.b.example:443']);
  });

  test('are refused for each that is none, by its place', () => {
    const hosts = ['a/b', 'a.example', 'https://c.example/'];
    expect(refusalOf(() => draft(httpBearer, { secrets, hosts }))).toEqual(
      refusedFor(
        ['#/hosts/0', '"a/b" is not a host'],
        [
          '#/hosts/2',
          'is not a host: write it as api.example.com, *.example.com or localhost:8080; did you mean',
        ],
      ),
    );
  });

  test('are none for a type that lends its fields, with any testUrl', () => {
    const fields = { testUrl: 'https://a.example/me' };
    expect(draft(aType(), { fields })).toEqual({ fields, hosts: [] });
  });

  test.each([
    [
      'https://b.example:8443/?key=c',
      'testUrl is at b.example:8443, but the credential is only for a.example',
    ],
    ['https://a.example:8443/', 'testUrl is at a.example:8443'],
  ])('must include the host of testUrl: %s', (testUrl, detail) => {
    expect(
      refusalOf(() => draft(httpBearer, { fields: { testUrl }, secrets, hosts: ['a.example'] })),
    ).toEqual(refusedFor(['#/hosts', detail]));
  });

  test.each([
    ['one that is no pattern', () => ['a.example', 'https://b.example/']],
    ['only such', () => ['https://b.example/']],
    [
      'an error',
      () => {
        throw new TypeError('Invalid URL');
      },
    ],
  ] as const)('are not derived by a type whose function gives %s', (_case, hosts) => {
    expect(refusalOf(() => draft(aType({ ...applied, hosts })))).toEqual(
      refusedFor(['#/hosts', 'the type derives no host from the fields: name the hosts']),
    );
  });
});

describe('the hosts of a rotated credential', () => {
  const rotate = (type: CredentialType, hosts: readonly string[] | null, from: string, to: string) =>
    rotateOutbound(type, { fields: {}, hosts }, { url: from }, { url: to }, check).hosts;
  const [ONE, OTHER] = ['https://one.example/hooks/1', 'https://other.example/hooks/1'];

  test('follow the secret that they were derived from', () => {
    expect(rotate(slackWebhook, ['one.example'], ONE, OTHER)).toEqual(['other.example']);
  });

  test('get only what is given, if they are new', () => {
    const hosts = ({ url = '' }: CredentialFields) => [new URL(url).host];
    const schema = { type: 'object', properties: { url: { type: 'string' }, key: { type: 'string' } } };
    const type = aType({ ...applied, schema, secretFields: ['url', 'key'], hosts });
    const known = { url: ONE, key: 'the-key-1' };
    const rotated = (given: CredentialFields) =>
      rotateOutbound(type, { fields: {}, hosts: ['one.example'] }, known, given, check).secrets;
    expect(rotated({ url: `${ONE}2` })).toEqual({ url: `${ONE}2`, key: 'the-key-1' });
    expect(rotated({ url: OTHER })).toEqual({ url: OTHER });
    expect(rotated({ url: OTHER, key: 'the-key-2' })).toEqual({ url: OTHER, key: 'the-key-2' });
  });

  test('stay if they were named', () => {
    expect(rotate(slackWebhook, ['*.example'], ONE, OTHER)).toEqual(['*.example']);
  });

  test('stay if there were none, even if none could be derived from the replaced secret', () => {
    expect(rotate(slackWebhook, null, ONE, OTHER)).toBeNull();
    expect(rotate(slackWebhook, null, 'unusable', OTHER)).toBeNull();
  });

  test('stay those of a type that fixes them', () => {
    const type = aType({ ...applied, hosts: ['a.example'] });
    const credential = { fields: {}, hosts: ['a.example'] };
    const rotated = rotateOutbound(type, credential, { key: 'the-key-1' }, { key: 'the-key-2' }, check);
    expect(rotated).toEqual({ hosts: ['a.example'], secrets: { key: 'the-key-2' } });
  });

  test('must be derived from the new secret', () => {
    const hosts = ({ key = '' }: CredentialFields) => [new URL(key).host];
    const type = aType({ ...applied, hosts });
    const credential = { fields: {}, hosts: ['one.example'] };
    expect(
      refusalOf(() => rotateOutbound(type, credential, { key: ONE }, { key: 'unusable' }, check)),
    ).toEqual(refusedFor(['#/hosts', 'the type derives no host from the new secret']));
  });
});
