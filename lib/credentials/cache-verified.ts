import { createHmac, randomBytes } from 'node:crypto';
import type { Verify } from './verify.ts';

/** Cache lookup by key, or `load`. Never caches null, so that wrong guesses use no memory. */
type LookUpVerified = (key: string, load: () => ReturnType<Verify>) => ReturnType<Verify>;

/**
 * Caches successful verifications, since scrypt takes about 0.2 s by design. The cache key is an HMAC under a key of
 * this process, so that no secret is stored. It includes the revision, which every change to the credential increments.
 */
export const cacheVerified = (verify: Verify, lookUp: LookUpVerified): Verify => {
  const processKey = randomBytes(32);
  return (credential, presented) => {
    const isCheap = credential.secrets.every(({ hash }) => hash.algorithm === 'sha256');
    if (isCheap) return verify(credential, presented);
    const text = JSON.stringify([credential.id, credential.revision, presented.username, presented.secret]);
    const key = createHmac('sha256', processKey).update(text).digest('base64');
    return lookUp(key, () => verify(credential, presented));
  };
};
