import { timingSafeEqual } from 'node:crypto';
import type { Credential, CredentialSecret } from './credential.ts';
import { computeScrypt, digest } from './hash-secret.ts';

/** What a caller showed. `username` is null where the scheme has none. */
export interface Presented {
  readonly username: string | null;
  readonly secret: string;
}

/** Does what the caller showed match one of the credential's live secrets? */
export type Verify = (credential: Credential, presented: Presented) => Promise<boolean>;

/**
 * Compares digests, since `timingSafeEqual` throws on unequal lengths, and always compares all of them: how long
 * it takes tells neither which secret matched nor whether it was the user name that did not.
 * Rejects when a stored hash can't be used, such as a scrypt cost that is no power of two.
 */
export const verify: Verify = async (credential, { username, secret }) => {
  const isUser = isSame(digestOfName(username), digestOfName(credential.username));
  let isSecret = false;
  for (const live of credential.secrets) {
    isSecret = (await matches(live, secret)) || isSecret;
  }
  return isUser && isSecret;
};

const matches = async ({ hash }: CredentialSecret, secret: string): Promise<boolean> => {
  const presented = hash.algorithm === 'scrypt' ? await computeScrypt(secret, hash) : digest(secret);
  return isSame(presented, Buffer.from(hash.hash, 'base64url'));
};

/** A name is a text, so that no name and the name `null` differ. Normalised as RFC 8265 demands. */
const digestOfName = (username: string | null): Buffer =>
  digest(JSON.stringify(username?.normalize('NFC') ?? null));

const isSame = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
