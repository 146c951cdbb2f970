import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { toPublicKey, toSharedKey } from '../../lib/credentials/signing-keys.ts';

const PEM = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----';

describe('a shared secret', () => {
  test.each([
    ['text, which is the default', 'pä55', undefined, Buffer.from('pä55')],
    ['text with spaces around it', ' a ', 'text', Buffer.from(' a ')],
    ['hex', '00fFa1', 'hex', Buffer.of(0x00, 0xff, 0xa1)],
    ['base64', '++//AA==', 'base64', Buffer.of(0xfb, 0xef, 0xff, 0x00)],
    ['base64url without padding', '--__AA', 'base64', Buffer.of(0xfb, 0xef, 0xff, 0x00)],
  ] as const)('is read as %s', (_case, secret, encoding, bytes) => {
    expect(toSharedKey(secret, encoding)).toEqual(bytes);
  });

  test.each([
    ['blank', ' \n', 'text', 'the secret is blank'],
    ['blank, also as hex', '', 'hex', 'the secret is blank'],
    ['a PEM key: anyone could sign with a public key', PEM, 'text', 'a PEM key instead of a shared secret'],
    ['half a byte of hex', 'abc', 'hex', 'the secret is not hex'],
    ['other than hex', 'abxy', 'hex', 'the secret is not hex'],
    ['hex after a prefix', '0xabcd', 'hex', 'the secret is not hex'],
    ['one digit of base64', 'A', 'base64', 'the secret is not base64'],
    ['other than base64', 'ab*d', 'base64', 'the secret is not base64'],
    ['padded too far', 'AA===', 'base64', 'the secret is not base64'],
    ['padded within', 'A=A=', 'base64', 'the secret is not base64'],
  ] as const)('is refused when it is %s', (_case, secret, encoding, message) => {
    expect(() => toSharedKey(secret, encoding)).toThrow(message);
  });
});

describe('a public key', () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const raw = der.subarray(-32);
  const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }));

  test.each([
    ['PEM', publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['a JWK', jwk],
    ['DER in base64', der.toString('base64')],
    ['DER in hex', der.toString('hex')],
    ['its bytes in hex', raw.toString('hex').toUpperCase()],
    ['its bytes in base64', raw.toString('base64')],
    ['its bytes in base64url', raw.toString('base64url')],
  ])('is read as %s, with white space around it', (_form, text) => {
    expect(toPublicKey(`\n${text} `).equals(publicKey)).toBe(true);
  });

  test('is read from a certificate', () => {
    const pem = readFileSync(new URL('../support/tls/signing.pem', import.meta.url), 'utf8');
    expect(toPublicKey(pem).equals(createPublicKey(pem))).toBe(true);
  });

  test.each([
    ['empty', ''],
    ['text', 'canary: no key'],
    ['31 bytes', raw.subarray(1).toString('hex')],
    ['a JWK of another kind', JSON.stringify({ ...(JSON.parse(jwk) as JsonWebKey), kty: 'canary' })],
    ['half a JWK', '{"kty":"canary'],
    ['a spoiled PEM', PEM.replace('MCow', 'canary')],
  ])('is refused, without a word of it, when it is %s', (_case, text) => {
    expect(() => toPublicKey(text)).toThrow(/^the secret is not a public key$/);
  });
});
