import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Credential, CredentialSecret } from './credential.ts';
import { computeScrypt, digest } from './hash-secret.ts';

/** Credentials of a request. `username` is null if the scheme has none. */
export interface Presented {
  readonly username: string | null;
  readonly secret: string;
}

/** Finds the live secret that the presented credentials match. @returns its id; null for none */
export type Verify = (credential: Credential, presented: Presented) => Promise<string | null>;

/**
 * Compares digests, since `timingSafeEqual` throws on unequal lengths. Always compares all of them, so that the time
 * does not depend on which secret matched or on the user name.
 * @throws Error when a stored hash can't be used, such as a scrypt cost that is not a power of two
 */
export const verify: Verify = async (credential, { username, secret }) => {
  const isUser = isSameDigest(digestOfName(username), digestOfName(credential.username));
  let secretId: string | null = null;
  for (const live of credential.secrets) {
    if (await matchesSecret(live, secret)) secretId = live.id;
  }
  return isUser ? secretId : null;
};

const matchesSecret = async ({ hash }: CredentialSecret, secret: string): Promise<boolean> => {
  const presented = hash.algorithm === 'scrypt' ? await computeScrypt(secret, hash) : digest(secret);
  return isSameDigest(presented, Buffer.from(hash.hash, 'base64url'));
};

/** Digest of the JSON text, so that null and the name `null` differ. Normalised by RFC 8265. */
const digestOfName = (username: string | null): Buffer =>
  digest(JSON.stringify(username?.normalize('NFC') ?? null));

const isSameDigest = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);

/** Cache lookup by key, or `load`. Never caches null, so that wrong guesses use no memory. */
type LookUpVerified = (key: string, load: () => ReturnType<Verify>) => ReturnType<Verify>;

/**
 * Caches successful verifications, since scrypt takes about 0.2 s by design. The cache key is an HMAC under a key of
 * this process, so that no secret is stored. It includes the stored secrets, so that it is
 * of no use for a changed credential, or a new one with the same id.
 */
export const cacheVerified = (verify: Verify, lookUp: LookUpVerified): Verify => {
  const processKey = randomBytes(32);
  return (credential, presented) => {
    const isCheap = credential.secrets.every(({ hash }) => hash.algorithm === 'sha256');
    if (isCheap) return verify(credential, presented);
    const text = JSON.stringify([credential, presented.username, presented.secret]);
    const key = createHmac('sha256', processKey).update(text).digest('base64');
    return lookUp(key, () => verify(credential, presented));
  };
};
