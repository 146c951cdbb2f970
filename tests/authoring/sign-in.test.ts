import { expect, test } from '@jest/globals';
import { readCode, readSignInFields, SignInError, startSignIn } from '../../authoring/sign-in.ts';

const fields = { grant: 'authorizationCode', authorizationUrl: 'https://login.example.com/authorize?a=b' };
const credential = {
  id: 'mail',
  direction: 'outbound',
  type: 'oauth2',
  fields,
  reference: '/credentials/mail',
};

test('each sign-in has a state and a verifier of its own, and keeps the query of the address', () => {
  const [one, other] = [1, 2].map(() => startSignIn(fields, 'http://127.0.0.1/callback'));
  expect(one?.state).not.toBe(other?.state);
  expect(one?.verifier).not.toBe(other?.verifier);
  expect(new URL(one?.address ?? '').searchParams.get('a')).toBe('b');
  expect(one?.address).not.toContain(one?.verifier);
});

test.each(['', 'login.example.com', 'javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x'])(
  'nobody is led to %j',
  (authorizationUrl) => {
    expect(() => startSignIn({ ...fields, authorizationUrl }, 'http://127.0.0.1/callback')).toThrow(
      new SignInError('The credential has no authorizationUrl, where people sign in.'),
    );
  },
);

test.each([
  [
    'a secret in Secrets Manager',
    { reference: 'arn:aws:secretsmanager:a:1:secret:b' },
    'where nothing can be stored',
  ],
  ['another type', { type: 'httpBearer' }, 'mail needs no sign-in'],
  ['another grant', { fields: { grant: 'refreshToken' } }, 'mail needs no sign-in'],
  ['a credential of callers', { direction: 'inbound' }, 'mail needs no sign-in'],
])('there is no sign-in for %s', (_case, changes, message) => {
  expect(() => readSignInFields({ ...credential, ...changes })).toThrow(message);
  expect(readSignInFields(credential)).toBe(fields);
});

test.each([
  ['state=right&code=c', 'c'],
  ['state=right&code=c&error=access_denied', 'c'],
])('a redirect with %s grants', (query, code) => {
  expect(readCode(new URLSearchParams(query), { state: 'right' })).toBe(code);
});

test.each([
  ['state=right&error=access_denied', 'access_denied'],
  ['state=right&error=%3Cb%3E', 'neither a code nor an error'],
  ['state=right', 'neither a code nor an error'],
  ['state=wrong&code=c', 'wrong state'],
  ['code=c', 'wrong state'],
])('a redirect with %s grants nothing', (query, message) => {
  expect(() => readCode(new URLSearchParams(query), { state: 'right' })).toThrow(message);
});
