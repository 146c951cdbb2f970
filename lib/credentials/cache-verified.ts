import { createHmac, randomBytes } from 'node:crypto';
import type { Verify } from './verify.ts';

/** Looks an answer up by key, or gets it from `load`. Must keep `true` only: a wrong guess is not worth memory. */
type LookUpVerified = (key: string, load: () => Promise<boolean>) => Promise<boolean>;

/**
 * Verifies what was verified a short while ago without computing scrypt again, which takes about 0.2 s by design.
 * The memory holds an HMAC under a key of this process, never what was presented; a change of the credential
 * changes its revision, and with it the key.
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
