import { timingSafeEqual } from 'node:crypto';
import type { Credential, CredentialSecret } from './credential.ts';
import { computeScrypt, digest } from './hash-secret.ts';

/** Credentials of a request. `username` is null where the scheme has none. */
export interface Presented {
  readonly username: string | null;
  readonly secret: string;
}

/** Whether the presented credentials match one of the live secrets. */
export type Verify = (credential: Credential, presented: Presented) => Promise<boolean>;

/**
 * Compares digests, since `timingSafeEqual` throws on unequal lengths, and always all of them, so that the time does
 * not depend on which secret matched or on the user name.
 * @throws Error when a stored hash can't be used, such as a scrypt cost that is not a power of two
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

/** Digest of the JSON text, so that null and the name `null` differ. Normalised by RFC 8265. */
const digestOfName = (username: string | null): Buffer =>
  digest(JSON.stringify(username?.normalize('NFC') ?? null));

const isSame = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
