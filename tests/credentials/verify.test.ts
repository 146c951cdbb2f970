import { describe, expect, test } from '@jest/globals';
import type { Credential, SecretHash } from '../../lib/credentials/credential.ts';
import { hashGenerated, hashPassword } from '../../lib/credentials/hash-secret.ts';
import { cacheVerified, type Verify, verify } from '../../lib/credentials/verify.ts';
import { createCache } from '../../lib/shared/cache.ts';

const anApiKey = (...hashes: SecretHash[]): Credential => ({
  id: 'partner',
  type: 'apiKey',
  username: null,
  secrets: hashes.map((hash, at) => ({ id: `s${at}`, createdAt: '2026-01-01T00:00:00.000Z', hash })),
  revision: 1,
});

const aLogin = (username: string, ...hashes: SecretHash[]): Credential => ({
  ...anApiKey(...hashes),
  type: 'basic',
  username,
});

const key = (secret: string) => ({ username: null, secret });

describe('verify', () => {
  test('accepts the generated secret', async () => {
    expect(await verify(anApiKey(hashGenerated('right')), key('right'))).toBe('s0');
  });

  test.each(['', 'righ', 'rightt', 'Right', 'right ', 'r', 'x'.repeat(4096), '\u0000', 'ri\u0000ght'])(
    'accepts nothing else: %j',
    async (secret) => {
      expect(await verify(anApiKey(hashGenerated('right')), key(secret))).toBeNull();
    },
  );

  test('accepts any live secret, so that they can be rotated, and returns its id', async () => {
    const credential = anApiKey(hashGenerated('old'), hashGenerated('new'), await hashPassword('third', 16));
    for (const [at, secret] of ['old', 'new', 'third'].entries()) {
      expect(await verify(credential, key(secret))).toBe(`s${at}`);
    }
    expect(await verify(credential, key('gone'))).toBeNull();
  });

  test('accepts nothing without a secret', async () => {
    expect(await verify(anApiKey(), key(''))).toBeNull();
  });

  test.each(['', 'aGFzaA'])('a stored hash of the wrong length matches nothing: %j', async (hash) => {
    expect(await verify(anApiKey({ algorithm: 'sha256', hash }), key(''))).toBeNull();
  });

  test('takes the user name and the password together', async () => {
    const credential = aLogin('Jos\u00e9', await hashPassword('p:w\u00e4', 16));
    expect(await verify(credential, { username: 'Jos\u00e9', secret: 'p:w\u00e4' })).toBe('s0');
    expect(await verify(credential, { username: 'Jose\u0301', secret: 'p:wa\u0308' })).toBe('s0');
    expect(await verify(credential, { username: 'jos\u00e9', secret: 'p:w\u00e4' })).toBeNull();
    expect(await verify(credential, { username: 'Jos\u00e9', secret: 'p:w' })).toBeNull();
    expect(await verify(credential, { username: null, secret: 'p:w\u00e4' })).toBeNull();
    expect(await verify(credential, { username: '', secret: 'p:w\u00e4' })).toBeNull();
  });

  test('an empty user name, or "null", does not count as missing', async () => {
    expect(await verify(aLogin('', hashGenerated('s')), { username: null, secret: 's' })).toBeNull();
    expect(await verify(anApiKey(hashGenerated('s')), { username: 'null', secret: 's' })).toBeNull();
    expect(await verify(aLogin('', hashGenerated('s')), { username: '', secret: 's' })).toBe('s0');
  });

  test('rejects when a stored hash cannot be computed, even if another one matches', async () => {
    const broken: SecretHash = { algorithm: 'scrypt', hash: 'aGFzaA', salt: 'c2FsdA', cost: 3 };
    await expect(verify(anApiKey(hashGenerated('right'), broken), key('right'))).rejects.toThrow();
  });
});

describe('cached verification', () => {
  const aMemory = () => {
    const asked: string[] = [];
    const counting: Verify = (credential, presented) => {
      asked.push(presented.secret);
      return verify(credential, presented);
    };
    const keys: string[] = [];
    const lookUp = createCache<string | null>({
      ttlMs: 1000,
      maxEntries: 10,
      clock: { now: () => 0 },
      keep: (secretId) => secretId !== null,
    });
    const remembering = cacheVerified(counting, (key, load) => {
      keys.push(key);
      return lookUp(key, load);
    });
    return { asked, keys, remembering };
  };

  test('does not hash a correct password again', async () => {
    const { asked, remembering } = aMemory();
    const credential = aLogin('ann', await hashPassword('right', 16));
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await remembering(credential, { username: 'ann', secret: 'right' })).toBe('s0');
    }
    expect(asked).toEqual(['right']);
  });

  test('does not hash again beside a generated secret', async () => {
    const { asked, remembering } = aMemory();
    const credential = aLogin('ann', hashGenerated('other'), await hashPassword('right', 16));
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await remembering(credential, { username: 'ann', secret: 'right' })).toBe('s1');
    }
    expect(asked).toEqual(['right']);
  });

  test('hashes a wrong password each time', async () => {
    const { asked, remembering } = aMemory();
    const credential = aLogin('ann', await hashPassword('right', 16));
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await remembering(credential, { username: 'ann', secret: 'wrong' })).toBeNull();
    }
    expect(asked).toEqual(['wrong', 'wrong']);
  });

  test('does not reuse a result for another user or credential, nor for a new one with the same id', async () => {
    const { remembering } = aMemory();
    const credential = aLogin('ann', await hashPassword('right', 16));
    const other = { ...credential, secrets: aLogin('ann', await hashPassword('other', 16)).secrets };
    await remembering(credential, { username: 'ann', secret: 'right' });
    expect(await remembering(credential, { username: 'bob', secret: 'right' })).toBeNull();
    expect(await remembering(other, { username: 'ann', secret: 'right' })).toBeNull();
    expect(await remembering({ ...other, id: 'other' }, { username: 'ann', secret: 'right' })).toBeNull();
  });

  test('does not hold presented passwords', async () => {
    const { keys, remembering } = aMemory();
    await remembering(aLogin('ann', await hashPassword('canary', 16)), { username: 'ann', secret: 'canary' });
    expect(keys).toHaveLength(1);
    expect(keys.join()).not.toMatch(/ann|canary/);
  });

  test('is not used for a generated secret, which is cheap to verify', async () => {
    const { asked, keys, remembering } = aMemory();
    const credential = anApiKey(hashGenerated('right'));
    expect(await remembering(credential, key('right'))).toBe('s0');
    expect(await remembering(credential, key('wrong'))).toBeNull();
    expect(asked).toEqual(['right', 'wrong']);
    expect(keys).toEqual([]);
  });
});
