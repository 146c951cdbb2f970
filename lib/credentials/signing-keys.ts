import { createPublicKey, type KeyObject } from 'node:crypto';

const ENCODINGS = {
  hex: /^(?:[0-9a-f]{2})+$/i,
  base64: /^[A-Za-z0-9+/_-]{2,}={0,2}$/,
} as const;

/** The bytes of a shared secret. @throws Error when it is blank, a PEM key, or not in that encoding */
export const toSharedKey = (secret: string, encoding: 'text' | 'hex' | 'base64' = 'text'): Buffer => {
  // Anyone could sign with a public key.
  if (isPem(secret)) throw new Error('the credential has a PEM key instead of a shared secret');
  if (secret.trim() === '') throw new Error('the secret is blank');
  if (encoding === 'text') return Buffer.from(secret);
  const bytes = decodeKey(secret, encoding);
  if (bytes === null) throw new Error(`the secret is not ${encoding}`);
  return bytes;
};

/**
 * A public key in any form in which senders publish theirs: PEM, also as a certificate; JWK; or, in hex or
 * base64, DER or the 32 bytes of an Ed25519 key.
 *
 * @throws Error when it is not a public key
 */
export const toPublicKey = (text: string): KeyObject => {
  const key = text.trim();
  try {
    return parsePublicKey(key);
  } catch {
    throw new Error('the secret is not a public key'); // the parsers' messages may quote it
  }
};

const parsePublicKey = (key: string): KeyObject => {
  if (isPem(key)) return createPublicKey(key);
  if (key.startsWith('{')) return createPublicKey({ key: JSON.parse(key), format: 'jwk' });
  const bytes = decodeKey(key, 'hex') ?? decodeKey(key, 'base64');
  if (bytes?.length === 32)
    return createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
      format: 'jwk',
    });
  return createPublicKey({ key: bytes ?? Buffer.of(), format: 'der', type: 'spki' });
};

const isPem = (text: string): boolean => text.includes('-----BEGIN');

/** Decodes text; null if it is not in that encoding. Node's decoder would stop at invalid characters or skip them. */
const decodeKey = (text: string, encoding: 'hex' | 'base64'): Buffer | null =>
  ENCODINGS[encoding].test(text) ? Buffer.from(text, encoding) : null;
