import { expect, test } from '@jest/globals';
import { isAnswerTo, readGrant, readSignInFields, SignInError, startSignIn } from '../sign-in.ts';

const fields = {
  grant: 'authorizationCode',
  authorizationUrl: 'https://login.example.com/authorize?a=b',
  clientId: 'shop',
};
const credential = {
  id: 'mail',
  signIn: fields,
  reference: '/credentials/mail',
};

test('each sign-in has a state and a verifier of its own, and keeps the query of the address', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => startSignIn(fields, 'http://127.0.0.1/callback')));
  expect(one?.state).not.toBe(other?.state);
  expect(one?.verifier).not.toBe(other?.verifier);
  expect(new URL(one?.address ?? '').searchParams.get('a')).toBe('b');
  expect(one?.address).not.toContain(one?.verifier);
});

test.each(['', 'login.example.com', 'javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x'])(
  'nobody is led to %j',
  async (authorizationUrl) => {
    await expect(startSignIn({ ...fields, authorizationUrl }, 'http://127.0.0.1/callback')).rejects.toThrow(
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
  ['a credential that nobody signs in for', { signIn: undefined }, 'mail needs no sign-in'],
])('there is no sign-in for %s', (_case, changes, message) => {
  expect(() => readSignInFields({ ...credential, ...changes })).toThrow(message);
  expect(readSignInFields(credential)).toBe(fields);
});

const read = (query: string) => readGrant(new URLSearchParams(query), fields, { state: 'right' });

test.each([
  ['state=right&code=c'],
  ['state=right&code=c&iss=https://login.example.com'],
  ['state=right&code=c&iss=https://login.example.com/tenants/a'],
])('a redirect with %s grants', (query) => {
  expect(read(query).get('code')).toBe('c');
});

test.each([
  ['state=right&error=access_denied', 'access_denied'],
  ['state=right&error=access_denied&code=c', 'access_denied'],
  ['state=right&error=%3Cb%3E', 'neither a code nor an error'],
  ['state=right', 'neither a code nor an error'],
  ['state=right&code=c&iss=https://evil.example', 'no answer of login.example.com: unexpected "iss"'],
  ['state=right&code=c&iss=https://login.example.com.evil.example', 'unexpected "iss"'],
  ['state=right&code=c&iss=http://login.example.com', 'unexpected "iss"'],
  ['state=right&code=c&iss=login.example.com', 'unexpected "iss"'],
  ['state=right&error=access_denied&iss=https://evil.example', 'unexpected "iss"'],
  ['state=right&code=c&id_token=d', 'implicit and hybrid flows are not supported'],
  ['state=right&code=c&state=wrong', '"state" parameter must be provided only once'],
])('a redirect with %s grants nothing', (query, message) => {
  let refusal: unknown;
  try {
    read(query);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(SignInError);
  expect(String(refusal)).toContain(message);
  expect(String(refusal)).not.toContain('evil.example');
});

test.each(['state=wrong&code=c', 'code=c', 'state=&code=c', ''])(
  'a redirect with %j answers no sign-in',
  (query) => {
    expect(isAnswerTo(new URLSearchParams(query), { state: 'right' })).toBe(false);
  },
);
