import { createHash, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import type { SecretHash } from './credential.ts';

/**
 * scrypt's cost N, with block size 8 and parallelisation 3: the setting in OWASP's Password Storage Cheat Sheet that
 * needs 32 MB of memory, which a small Lambda has.
 */
const DEFAULT_COST = 2 ** 15;
const BLOCK_SIZE = 8;
const PARALLELISATION = 3;
const HASH_BYTES = 32;

/** A new secret of 256 random bits, base64url: 43 characters. */
export const generateSecret = (): string => randomBytes(32).toString('base64url');

/** Returns the SHA-256 of a string in UTF-8. */
export const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Hashes a secret of {@link generateSecret}: 256 random bits can't be guessed, so a fast hash is enough. */
export const hashGenerated = (secret: string): SecretHash => ({
  algorithm: 'sha256',
  hash: digest(secret).toString('base64url'),
});

/** Hashes a password that a person chose. @param cost - scrypt's N, a power of two; smaller in tests only */
export const hashPassword = async (password: string, cost = DEFAULT_COST): Promise<SecretHash> => {
  const salt = randomBytes(16).toString('base64url');
  const hash = await computeScrypt(password, { salt, cost });
  return { algorithm: 'scrypt', hash: hash.toString('base64url'), salt, cost };
};

const MAX_SCRYPT_BYTES = 256 * 1024 * 1024;

/**
 * scrypt (RFC 7914) of a password, which is normalised to NFC (RFC 7617 and RFC 8265, OpaqueString), since keyboards
 * differ in how they compose `é`. The cost is checked first: if OpenSSL rejects it, Node leaves the error for the next
 * operation with a key, which then fails.
 *
 * @throws Error when `cost` is not a power of two or needs more than 256 MB
 */
export const computeScrypt = async (
  password: string,
  { salt, cost }: { readonly salt: string; readonly cost: number },
): Promise<Buffer> => {
  if (!isPowerOfTwo(cost) || 128 * BLOCK_SIZE * (cost + PARALLELISATION) > MAX_SCRYPT_BYTES)
    throw new Error(
      `${cost} is not a valid scrypt cost: it must be a power of two that needs at most 256 MB`,
    );
  const options: ScryptOptions = {
    N: cost,
    r: BLOCK_SIZE,
    p: PARALLELISATION,
    maxmem: MAX_SCRYPT_BYTES,
  };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), Buffer.from(salt, 'base64url'), HASH_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
};

const isPowerOfTwo = (cost: number): boolean => cost > 1 && Number.isInteger(Math.log2(cost));
