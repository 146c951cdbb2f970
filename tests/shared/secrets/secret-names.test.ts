import { describe, expect, test } from '@jest/globals';
import { isCredentialHeader, isSecretName, isSecretValue } from '../../../lib/shared/secrets/secret-names.ts';

/** A name in each spelling. */
const spellingsOf = (words: string): readonly string[] => {
  const [first = '', ...rest] = words.split(' ');
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  return [
    [first, ...rest.map(capital)].join(''),
    [first, ...rest].map(capital).join(''),
    [first, ...rest].join('_'),
    [first, ...rest].join('-'),
    [first, ...rest].join('_').toUpperCase(),
    [first, ...rest].join('.'),
    `user[${[first, ...rest].join('_')}]`,
    `user%5B${[first, ...rest].join('_')}%5D`,
  ];
};

// holds: redacted-by-name-and-form
describe('a secret name, in any spelling', () => {
  test.each([
    'auth',
    'basic auth',
    'pin',
    'card pin',
    'otp',
    'sms otp',
    'otp code',
    'totp',
    'cvv',
    'cvc',
    'card cvv',
    'cvv2',
    'card number',
    'credit card number',
    'cc num',
    'ssn',
    'csrf',
    'csrf value',
    'xsrf',
    'secrets',
    'passwords',
    'passcode',
    'password confirmation',
    'api keys',
    'refresh tokens',
    'recovery codes',
    'verification code',
    'one time code',
    'security code',
    'social security number',
    'client assertion',
    'saml response',
    'code verifier',
    'license key',
    'write key',
    'session id',
    'secret id',
    'token 2',
  ])('%s', (words) => {
    expect(spellingsOf(words).filter((name) => !isSecretName(name))).toEqual([]);
  });

  test.each([
    'CVVCode',
    'OTPCode',
    'userPIN',
    'APIKey',
    'JWTToken',
    'creditcardnumber',
    'smsotp',
    'dbpassword',
  ])('%s', (name) => expect(isSecretName(name)).toBe(true));
});

describe('an ordinary name, in any spelling', () => {
  test.each([
    'author',
    'authority',
    'authored by',
    'oauth',
    'pinned',
    'pin code',
    'opinion',
    'shipping',
    'spin',
    'state',
    'code',
    'country code',
    'zip code',
    'key',
    'sort key',
    'keyboard',
    'monkey',
    'session',
    'sig',
    'design',
    'secretary',
    'tokens used',
    'max tokens',
    'passenger',
    'compass',
    'discard',
    'cardinality',
    'card holder',
    'token type',
    'token count',
    'cvc check',
    'credential id',
    'password policy',
    'cookies accepted',
    'passed',
    'signed',
    'classname',
    'robot pilot',
    'authentication',
    'principal',
    'cell number',
    'publish',
    'primary key',
  ])('%s', (words) => {
    expect(spellingsOf(words).filter((name) => isSecretName(name))).toEqual([]);
  });
});

describe('a query parameter', () => {
  test.each([
    'key',
    'code',
    'state',
    'sig',
    'auth',
    'session',
    'X-Amz-Security-Token',
    'X-Amz-Signature',
    'sid',
  ])('%s is a secret', (name) => expect(isSecretName(name, 'query')).toBe(true));

  test.each(['q', 'page', 'sort_key', 'country_code', 'states', 'keyword', 'sort', 'design'])(
    '%s is not a secret',
    (name) => expect(isSecretName(name, 'query')).toBe(false),
  );
});

describe('a header', () => {
  test.each([
    'Authentication',
    'X-Amzn-Oidc-Data',
    'x-amzn-oidc-accesstoken',
    'x-ms-client-principal',
    'x-sentry-auth',
    'x-client-cert',
    'x-forwarded-client-cert',
    'x-figma-passcode',
    'x-trello-webhook',
    'set-cookie',
    'cf-access-jwt-assertion',
    'x-goog-iap-jwt-assertion',
    'x-vault-token',
    'dpop',
    'x-csrf-token',
  ])('%s is a credential', (name) => expect(isCredentialHeader(name)).toBe(true));

  test.each([
    'accept',
    'authority',
    ':authority',
    'authentication-results',
    'x-hub-signature-256',
    'x-request-id',
  ])('%s is not a credential', (name) => expect(isCredentialHeader(name)).toBe(false));
});

test('whether there is a secret is shown', () => {
  expect([true, false, null, undefined].map((value) => isSecretValue('otp', value))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([123_456, '', [], {}].map((value) => isSecretValue('otp', value))).toEqual([true, true, true, true]);
});
