import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  computeScrypt,
  generateSecret,
  hashGenerated,
  hashPassword,
} from '../../lib/credentials/hash-secret.ts';

describe('secrets', () => {
  test('a generated secret has 256 random bits, base64url', () => {
    const secrets = Array.from({ length: 50 }, generateSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  // holds: only-hashes-stored
  test('a generated secret is stored as its SHA-256', () => {
    // The one-block example of FIPS 180-2, appendix B.1
    expect(Buffer.from(hashGenerated('abc').hash, 'base64url').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(hashGenerated('abc').algorithm).toBe('sha256');
  });

  // holds: only-hashes-stored
  test('a chosen password is stored as scrypt with its own salt', async () => {
    const [one, two] = [await hashPassword('secret', 16), await hashPassword('secret', 16)];
    expect(one).toMatchObject({ algorithm: 'scrypt', cost: 16 });
    expect(one).not.toEqual(two);
    if (one.algorithm !== 'scrypt' || two.algorithm !== 'scrypt') throw new Error('not scrypt');
    expect(one.salt).not.toBe(two.salt);
    expect((await computeScrypt('secret', one)).toString('base64url')).toBe(one.hash);
    expect((await computeScrypt('Secret', one)).toString('base64url')).not.toBe(one.hash);
  });

  test('a password hash costs an attacker what OWASP recommends', async () => {
    // https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html: N = 2^15, r = 8, p = 3
    expect(await hashPassword('secret')).toMatchObject({ cost: 32768 });
  });

  test('a password hash is the one that other implementations compute', async () => {
    // Python: hashlib.scrypt('pässword'.encode(), salt=b'NaCl-NaCl', n=16, r=8, p=3, dklen=32)
    const hash = await computeScrypt('pässword', { salt: 'TmFDbC1OYUNs', cost: 16 });
    expect(hash.toString('base64url')).toBe('n7FpC1cH9xWG2spUgGCDZJpzmcq6wnObu0ly_yDwjzw');
  });

  test('each salt has 128 random bits', async () => {
    const hash = await hashPassword('secret', 2);
    expect(hash).toMatchObject({ salt: expect.stringMatching(/^[\w-]{22}$/) });
  });

  test('a letter is the same however it was composed', async () => {
    const settings = { salt: 'c2FsdA', cost: 16 };
    expect(await computeScrypt('caf\u00e9', settings)).toEqual(await computeScrypt('cafe\u0301', settings));
  });

  test.each([0, 0.5, 1, 3, 2 ** 18, 2 ** 30])(
    'a cost of %p is refused, and no key is derived with it',
    async (cost) => {
      await expect(computeScrypt('secret', { salt: 'c2FsdA', cost })).rejects.toThrow(
        'is not a valid scrypt cost',
      );
      const { privateKey } = generateKeyPairSync('ed25519');
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
      expect(createPrivateKey(pem).asymmetricKeyType).toBe('ed25519');
    },
  );
});
