import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  checkSecret,
  isOfKey,
  readSignatures,
} from '../../../../lib/webhooks/features/signature/is-signed.ts';
import { schemes, toSchemeRow } from '../../../../lib/webhooks/features/signature/schemes.ts';

const hmac = createHmac('sha256', 'secret-1').update('content').digest();
const ways = schemes.github.ways ?? [];
const isSigned = (
  signature: string,
  pieces: readonly (string | Uint8Array)[] = ['con', Buffer.from('tent')],
) => readSignatures(ways, { signature, pieces })('secret-1');

describe('a list of signatures', () => {
  test.each([
    [`sha256=${hmac.toString('hex')}`, true],
    [`sha256=${hmac.toString('hex').toUpperCase()}`, true],
    [`sha256=00, sha256=${hmac.toString('hex')}`, true],
    [`${'sha256=00,'.repeat(9)}sha256=${hmac.toString('hex')}`, true],
    [`sha256=${hmac.toString('base64')}`, false],
    [`sha1=${hmac.toString('hex')},sha256=00`, false],
  ])('%s is right: %j', (signature, isRight) => {
    expect(isSigned(signature)).toBe(isRight);
  });

  test.each([
    ['', 'no signature of this scheme'],
    ['sha256=', 'no signature of this scheme'],
    [hmac.toString('hex'), 'no signature of this scheme'],
    ['sha256=00,'.repeat(11), 'too many signatures in the request'],
  ])('%j is refused: %s', (signature, reason) => {
    expect(() => isSigned(signature)).toThrow(reason);
  });

  test('base64 is compared as it is', () => {
    const signature = `sha256=${hmac.toString('base64')}`;
    const signed = (text: string) =>
      readSignatures(schemes.x.ways ?? [], { signature: text, pieces: ['content'] })('secret-1');
    expect([signed(signature), signed(signature.toUpperCase().replace('SHA', 'sha'))]).toEqual([true, false]);
  });
});

test('a token without its prefix is no signature of the scheme', () => {
  const own = toSchemeRow({ scheme: 'token', header: 'x-token', prefix: 'Token ' }).ways ?? [];
  const isToken = (signature: string) => readSignatures(own, { signature, pieces: [] })('secret-1');
  expect([isToken('Token secret-1'), isToken('Token secret-2')]).toEqual([true, false]);
  expect(() => isToken('secret-1')).toThrow('no signature of this scheme');
});

describe('a handshake token', () => {
  const token = 'aHR0cHM6Ly9leGFt';

  test('is never content of a shared secret', () => {
    expect(() => isSigned('sha256=00', [token])).toThrow('the content is a handshake token');
    const either = schemes.standardWebhooks.ways ?? []; // a shared secret or a public key
    expect(() => readSignatures(either, { signature: 'v1,AA', pieces: [token] })).toThrow('handshake token');
  });

  test('is content of a public key, which signs no handshakes', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const secret = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('hex');
    const signature = sign(null, Buffer.from(token), privateKey).toString('hex');
    expect(readSignatures(schemes.discord.ways ?? [], { signature, pieces: [token] })(secret)).toBe(true);
  });
});

test.each<[keyof typeof schemes, string, string | null]>([
  ['github', 'any text', null],
  ['github', ' ', 'the secret is blank'],
  ['github', '-----BEGIN PUBLIC KEY-----', 'a PEM key instead of a shared secret'],
  ['gitlab', 'any text', null],
  ['gitlab', ' ', 'the secret is blank'],
  ['discord', 'any text', 'the secret is not a public key'],
  ['discord', 'ab'.repeat(32), null],
  ['sendgrid', 'ab'.repeat(32), "a key of type ed25519 can't be used with ecdsa-sha256"],
  ['standardWebhooks', 'whsec_c2VjcmV0', null],
  ['standardWebhooks', 'c2VjcmV0', null],
  ['standardWebhooks', 'whsec_*', 'the secret is not base64'],
  ['standardWebhooks', `whpk_${Buffer.alloc(32, 1).toString('base64')}`, null],
  ['standardWebhooks', 'whpk_c2VjcmV0', 'the secret is not a public key'],
  ['jwt', ' ', null], // is checked by its own code
])('whether a secret of %s can be %j: %j', (scheme, secret, reason) => {
  const check = () => checkSecret(schemes[scheme].ways ?? [], secret);
  if (reason === null) check();
  else expect(check).toThrow(reason);
});

describe('a signature of a key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = sign(null, Buffer.from('content'), privateKey);
  const isOf = (signatures: readonly string[], encoding: 'hex' | 'base64' = 'base64') =>
    isOfKey('ed25519', encoding, signatures, ['con', 'tent'], publicKey);

  test('has one form', () => {
    const text = bytes.toString('base64');
    expect(isOf([text])).toBe(true);
    expect(isOf(['AA', text])).toBe(true);
    for (const other of [
      ` ${text}`,
      text.replace('==', ''),
      `${text}=`,
      bytes.toString('base64url'),
      'AA',
      '',
    ])
      expect([other, isOf([other])]).toEqual([other, false]);
    expect(isOf([bytes.toString('hex').toUpperCase()], 'hex')).toBe(true);
    expect(isOf([`${bytes.toString('hex')}0`], 'hex')).toBe(false);
  });

  test('is not verified for an algorithm without keys', () => {
    expect(() => isOfKey('sha256', 'hex', ['00'], [], publicKey)).toThrow("can't be used with sha256");
  });
});
