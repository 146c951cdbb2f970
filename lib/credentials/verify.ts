import { timingSafeEqual } from 'node:crypto';
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
  const isUser = isSame(digestOfName(username), digestOfName(credential.username));
  let secretId: string | null = null;
  for (const live of credential.secrets) {
    if (await matches(live, secret)) secretId = live.id;
  }
  return isUser ? secretId : null;
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
