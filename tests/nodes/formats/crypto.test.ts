import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';
import { runNode } from '@hookloom/plugin-kit/testing';
import { describe, expect, test } from '@jest/globals';
import { crypto } from '../../../nodes/formats/crypto.ts';
import { runNodeType, runToMain } from '../../support/run-node-type.ts';

/** From RFC 4231 §4.3 and FIPS 180-2. */
const vectors: readonly (readonly [JsonObject, JsonObject])[] = [
  [
    { operation: 'hash', data: 'abc' },
    { value: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
  ],
  [
    { operation: 'hash', data: '616263', dataEncoding: 'hex', algorithm: 'sha1' },
    { value: 'a9993e364706816aba3e25717850c26c9cd0d89d' },
  ],
  [
    { operation: 'hash', data: 'YWJj', dataEncoding: 'base64', algorithm: 'md5', encoding: 'base64url' },
    { value: 'kAFQmDzST7DWlj99KOF_cg' },
  ],
  [
    { operation: 'hmac', data: 'what do ya want for nothing?', key: 'Jefe' },
    { value: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843' },
  ],
  [
    {
      operation: 'verifyHmac',
      data: 'what do ya want for nothing?',
      key: 'Jefe',
      signature: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    },
    { valid: true },
  ],
  [{ operation: 'verifyHmac', data: 'other', key: 'Jefe', signature: '5bdc' }, { valid: false }],
];

test.each(vectors)('%j gives %j', async (parameters, output) => {
  expect(await runToMain(crypto, parameters)).toEqual(output);
});

const pairs = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  PS256: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
const publicPem = (name: keyof typeof pairs) =>
  pairs[name].publicKey.export({ type: 'spki', format: 'pem' }).toString();
const privatePem = (name: keyof typeof pairs) =>
  pairs[name].privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const names = Object.keys(pairs) as (keyof typeof pairs)[];

test.each(names)('a signature by %s verifies, and an altered one does not', async (signatureAlgorithm) => {
  const common = { signatureAlgorithm, encoding: 'base64url', data: 'tea' };
  const signed = await runToMain(crypto, {
    ...common,
    operation: 'sign',
    key: privatePem(signatureAlgorithm),
  });
  const { value: signature = '' } = signed;
  const key = publicPem(signatureAlgorithm);
  const verify = { ...common, operation: 'verify', key, signature };
  expect(await runToMain(crypto, verify)).toEqual({ valid: true });
  expect(await runToMain(crypto, { ...verify, data: 'milk' })).toEqual({ valid: false });
  expect(await runToMain(crypto, { ...verify, signature: '' })).toEqual({ valid: false });
});

test('random values differ and have the requested length', async () => {
  const uuid = async () => (await runToMain(crypto, { operation: 'uuid' })).value;
  expect(await uuid()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(await uuid()).not.toBe(await uuid());
  expect((await runToMain(crypto, { operation: 'random', bytes: 16 })).value).toMatch(/^[\da-f]{32}$/);
});

test('is not pure, so that a replay has the same random values', () => {
  expect(crypto.pure).not.toBe(true);
});

test.each([
  [{ operation: 'hash' }, 'Parameter "data" must be a string, got nothing'],
  [{ operation: 'hmac', data: 'a' }, 'The operation hmac needs a key: name a credential in credentialId'],
  [{ operation: 'verifyHmac', data: 'a', key: 'b' }, 'Parameter "signature" must be a string, got nothing'],
  [{ operation: 'hash', data: 'xyz', dataEncoding: 'hex' }, 'Parameter "data" must be hex'],
  [{ operation: 'hash', data: 'a*b', dataEncoding: 'base64' }, 'Parameter "data" must be base64'],
  [{ operation: 'sign', data: 'a', key: 'secret' }, 'Parameter "key" must be a key for RS256, as PEM'],
  [
    { operation: 'sign', data: 'a', key: privatePem('ES256') },
    'Parameter "key" must be a key for RS256, as PEM',
  ],
  [
    { operation: 'sign', data: 'a', key: publicPem('RS256') },
    'Parameter "key" must be a key for RS256, as PEM',
  ],
  [{ operation: 'random', bytes: 0 }, 'Parameter "bytes" must be an integer from 1 to 1024'],
  [{ operation: 'rot13' }, 'Parameter "operation" must be one of hash,'],
])('%#: fails and names the parameter', async (parameters, message) => {
  const result = await runNodeType(crypto, parameters as unknown as JsonObject);
  expect(result).toMatchObject({ failure: { message: expect.stringContaining(message) } });
  expect(JSON.stringify(result)).not.toContain('secret');
});

/** What the node puts out with a credential, or its error. */
const runWithKey = (parameters: JsonObject, fields: Readonly<Record<string, string>>): Promise<unknown> =>
  runNode(crypto, {
    parameters,
    credential: { type: 'signingKey', fields: { encoding: '', passphrase: '', ...fields } },
  }).then(
    ({ outputs }) => outputs.main,
    (error: Error) => error.message,
  );

describe('with the key of a credential', () => {
  const jefe = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';

  test.each([
    [{ key: 'Jefe' }],
    [{ key: '4a656665', encoding: 'hex' }],
    [{ key: 'SmVmZQ==', encoding: 'base64' }],
  ])('%j signs and verifies', async (fields) => {
    const data = 'what do ya want for nothing?';
    expect(await runWithKey({ operation: 'hmac', data }, fields)).toEqual({ value: jefe });
    const verify = { operation: 'verifyHmac', data, signature: jefe };
    expect(await runWithKey(verify, fields)).toEqual({ valid: true });
  });

  test('an encrypted one signs', async () => {
    const { privateKey } = pairs.EdDSA;
    const passphrase = 'a passphrase';
    const key = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase });
    const sign = { operation: 'sign', data: 'tea', signatureAlgorithm: 'EdDSA' };
    expect(await runWithKey(sign, { key: String(key), passphrase })).toEqual({
      value: expect.stringMatching(/^[\da-f]{128}$/),
    });
    // By chance, what is decrypted with a wrong passphrase looks like padding: the code differs then.
    expect(await runWithKey(sign, { key: String(key) })).toMatch(
      /^The key of the credential "credential-1" must be a key for EdDSA, as PEM \(ERR_OSSL_\w+\)$/,
    );
  });

  test.each<[JsonObject, Readonly<Record<string, string>>, string]>([
    [
      { operation: 'hmac', data: 'a', key: 'b' },
      { key: 'secret' },
      'Parameter "key" must be absent: the credential "credential-1" has the key',
    ],
    [
      { operation: 'hmac', data: 'a' },
      { key: 'secret', encoding: 'hex' },
      'The key of the credential "credential-1" must be hex',
    ],
  ])('%j fails by name', async (parameters, fields, message) => {
    expect(await runWithKey(parameters, fields)).toBe(message);
  });
});

test.each<[string, JsonObject, boolean]>([
  ['a shared key', { operation: 'hmac', key: 'a shared key' }, false],
  ['a shared key to verify with', { operation: 'verifyHmac', key: 'a shared key' }, false],
  ['a private key', { operation: 'sign', key: privatePem('ES256') }, false],
  ['a private key to verify with', { operation: 'verify', key: privatePem('ES256') }, false],
  ['a public key', { operation: 'verify', key: publicPem('ES256') }, true],
  ['an expression', { operation: 'hmac', key: '{{ $nodes.derive.value }}' }, true],
  ['no key', { operation: 'hmac' }, true],
])('a workflow file with %s is checked', async (_case, parameters, isAccepted) => {
  const problems = (await crypto.checkParameters?.(parameters)) ?? [];
  expect(problems.map(({ path }) => path)).toEqual(isAccepted ? [] : ['/key']);
});
