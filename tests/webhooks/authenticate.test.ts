import { describe, expect, test } from '@jest/globals';
import type { Credential } from '../../lib/credentials/credential.ts';
import { hashGenerated } from '../../lib/credentials/hash-secret.ts';
import { verify } from '../../lib/credentials/verify.ts';
import { STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { authenticate } from '../../lib/webhooks/authenticate.ts';
import type { Authentication } from '../../lib/workflows/definition/path-config.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const key: Credential = {
  id: 'key',
  type: 'apiKey',
  username: null,
  secrets: [{ id: 's', createdAt, hash: hashGenerated('right') }],
  revision: 1,
};
const login: Credential = { ...key, id: 'login', type: 'basic', username: 'ann' };

const parts = {
  findCredential: async (id: string) => [key, login].find((credential) => credential.id === id) ?? null,
  verify,
};
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const withKey = { authentication: 'apiKey', credentialId: 'key' } as const;
const withLogin = { authentication: 'basic', credentialId: 'login' } as const;

describe('authenticating', () => {
  test('without authentication, headers are unchanged', async () => {
    const headers = { authorization: 'Bearer x', 'x-api-key': 'y' };
    const open = { authentication: 'none', credentialId: null } as const;
    const authenticated = await authenticate(headers, open, parts);
    expect(authenticated.headers).toBe(headers);
    expect(authenticated.secretId).toBeNull();
  });

  test('redacts both headers that can carry a key', async () => {
    const headers = { 'x-api-key': 'right', authorization: 'Bearer other', accept: '*/*' };
    expect(await authenticate(headers, withKey, parts)).toEqual({
      headers: { 'x-api-key': '[redacted]', authorization: '[redacted]', accept: '*/*' },
      secretId: 's',
    });
    expect(await authenticate({ authorization: 'Bearer right' }, withKey, parts)).toEqual({
      headers: { authorization: '[redacted]' },
      secretId: 's',
    });
  });

  test('redacts the login header', async () => {
    expect(await authenticate({ ...basic('ann:right'), 'x-api-key': 'y' }, withLogin, parts)).toEqual({
      headers: { authorization: '[redacted]', 'x-api-key': 'y' },
      secretId: 's',
    });
  });

  test.each([
    ['missing', {}],
    ['wrong', { 'x-api-key': 'wrong' }],
    ['sent twice', { 'x-api-key': 'right,right' }],
    ['a login', basic('ann:right')],
  ])('a key that is %s is unauthorized', async (_case, headers: Record<string, string>) => {
    await expect(authenticate(headers, withKey, parts)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      parameters: { challenge: 'Bearer realm="hookloom"' },
    });
  });

  test.each([
    ['missing', {}],
    ['wrong', basic('ann:wrong')],
    ['of another user', basic('bob:right')],
    ['a key', { 'x-api-key': 'right', authorization: 'Bearer right' }],
  ])('a login that is %s is unauthorized', async (_case, headers: Record<string, string>) => {
    await expect(authenticate(headers, withLogin, parts)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      parameters: { challenge: 'Basic realm="hookloom", charset="UTF-8"' },
    });
  });

  // holds: closed-without-credential
  test.each<[string, Authentication, string | null, Partial<Credential>]>([
    ['no credential', 'apiKey', null, {}],
    ['an unknown credential', 'apiKey', 'gone', {}],
    ['a credential of another type', 'basic', 'key', {}],
    ['a credential without secrets', 'apiKey', 'key', { secrets: [] }],
    ['a login without a user name', 'basic', 'key', { type: 'basic' }],
    ['an unknown setting', 'None ' as Authentication, 'key', {}],
    ['an empty setting', '' as Authentication, null, {}],
    [
      'a hash that cannot be computed',
      'apiKey',
      'key',
      {
        secrets: [
          { id: 's', createdAt, hash: { algorithm: 'scrypt', hash: 'aGFzaA', salt: 'c2FsdA', cost: 3 } },
        ],
      },
    ],
  ])('refuses every request with 503 with %s', async (_case, authentication, credentialId, changes) => {
    const findCredential = async (id: string) => (id === 'key' ? { ...key, ...changes } : null);
    await expect(
      authenticate({ 'x-api-key': 'right' }, { authentication, credentialId }, { findCredential, verify }),
    ).rejects.toMatchObject({ code: 'AUTHENTICATION_MISCONFIGURED', status: 503 });
  });

  test('refuses every request while the store is unavailable', async () => {
    const findCredential = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));
    await expect(
      authenticate({ 'x-api-key': 'right' }, withKey, { findCredential, verify }),
    ).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
