import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { decodeSecret } from './decode-secret.ts';
import { isHmac, limitSignatures, readHeader, type Scheme } from './scheme.ts';
import { checkTimestamp } from './timestamp.ts';

const SHARED = 'whsec_';
const PUBLIC = 'whpk_';

/**
 * `webhook-signature: v1,BASE64 v1a,BASE64`: HMAC with a shared secret, Ed25519 with a public key.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const standardWebhooks: Scheme = (rule) => (request, now) => {
  const header = readHeader(request, 'webhook-signature');
  const id = readHeader(request, 'webhook-id');
  const timestamp = readHeader(request, 'webhook-timestamp');
  checkTimestamp(timestamp, now, rule);
  const all = limitSignatures(header.split(' ').filter((signature) => /^v1a?,/.test(signature)));
  const valuesOf = (version: string) =>
    all.filter((text) => text.startsWith(`${version},`)).map((text) => text.slice(version.length + 1));
  const signed = [`${id}.${timestamp}.`, request.rawBody];
  return (secret) => {
    if (secret.startsWith(PUBLIC)) return isEd25519(valuesOf('v1a'), signed, toPublicKey(secret));
    const key = decodeSecret(secret.startsWith(SHARED) ? secret.slice(SHARED.length) : secret, 'base64');
    return isHmac(valuesOf('v1'), signed, { algorithm: 'sha256', encoding: 'base64', key });
  };
};

const isEd25519 = (
  signatures: readonly string[],
  signed: readonly (string | Uint8Array)[],
  key: KeyObject,
) => {
  const data = Buffer.concat(signed.map((piece) => Buffer.from(piece)));
  return signatures.some((signature) => {
    const bytes = Buffer.from(signature, 'base64');
    // Node's decoder skips what is not base64: one signature has one form.
    return bytes.toString('base64') === signature && verify(null, data, key, bytes);
  });
};

/** From the 32 bytes of the key. */
const toPublicKey = (text: string): KeyObject => {
  const x = decodeSecret(text.slice(PUBLIC.length), 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
};
