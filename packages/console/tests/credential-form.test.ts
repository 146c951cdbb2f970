import { describe, expect, test } from '@jest/globals';
import { oauth2 } from '../../../nodes/credential-types/oauth2.ts';
import { OAUTH2_PRESETS } from '../../authoring/oauth2-presets.ts';
import {
  fieldsToShow,
  toCredentialFields,
  toOutboundBody,
  toPresetForm,
} from '../src/views/credentials/credential-form.ts';
import { isSignedIn, takesSignIn, toReturnTo } from '../src/views/credentials/sign-in-state.ts';

const fields = toCredentialFields(oauth2);
const namesFor = (values: Readonly<Record<string, string>>, type = 'oauth2') =>
  fieldsToShow(type, fields, values).map(({ name }) => name);

describe('the fields of oauth2', () => {
  test('have no refresh token where a person signs in, and no place to sign in where nobody does', () => {
    expect(namesFor({ grant: 'authorizationCode' })).not.toContain('refreshToken');
    expect(namesFor({ grant: 'authorizationCode' })).toContain('authorizationUrl');
    for (const values of [{}, { grant: 'refreshToken' }]) {
      expect(namesFor(values)).toContain('refreshToken');
      expect(namesFor(values)).not.toContain('authorizationUrl');
    }
  });

  test('are all shown for any other type', () => {
    expect(namesFor({ grant: 'authorizationCode' }, 'other')).toEqual(fields.map(({ name }) => name));
  });

  test('that are hidden are not sent', () => {
    const values = { grant: 'authorizationCode', refreshToken: 'typed before', clientId: 'shop' };
    const shown = fieldsToShow('oauth2', fields, values);
    expect(toOutboundBody('oauth2', shown, { values, ref: null, hosts: '' })).toEqual({
      type: 'oauth2',
      fields: { grant: 'authorizationCode', clientId: 'shop' },
      secrets: {},
    });
  });
});

describe('a service that is chosen', () => {
  const typed = {
    values: { clientId: 'shop', clientSecret: 'a secret', scope: 'mine' },
    ref: null,
    hosts: 'x',
  };

  test('fills in what is known of it, and keeps what is typed of the app', () => {
    const { authorizationUrl, tokenUrl } = OAUTH2_PRESETS.google ?? {};
    expect(toPresetForm('google', typed)).toEqual({
      values: {
        ...{ clientId: 'shop', clientSecret: 'a secret', grant: 'authorizationCode' },
        ...{ authorizationUrl, tokenUrl, scope: 'openid email', clientAuthentication: 'body' },
      },
      ref: null,
      hosts: '*.googleapis.com',
    });
  });

  test.each(['', 'constructor', 'none'])('%j leaves the rest empty', (name) => {
    expect(toPresetForm(name, typed)).toEqual({
      values: { clientId: 'shop', clientSecret: 'a secret' },
      ref: null,
      hosts: '',
    });
  });
});

const credential = {
  id: 'mail',
  direction: 'outbound' as const,
  type: 'oauth2',
  fields: { grant: 'authorizationCode' },
  signIn: { authorizationUrl: 'https://login.example.com/authorize' },
  hosts: [],
  reference: 'file:mail',
  revision: 1,
};

test.each([
  ['that says what a sign-in needs', {}, true],
  ['that does not', { signIn: undefined }, false],
  ['whose secret is in Secrets Manager', { reference: 'arn:aws:secretsmanager:x' }, false],
])('a credential %s takes a sign-in: %s', (_case, changes, expected) => {
  expect(takesSignIn({ ...credential, ...changes })).toBe(expected);
});

test.each([
  [['clientSecret'], false],
  [['clientSecret', 'refreshToken'], true],
  [['accessToken'], true],
  [null, null],
])('with the fields %j stored, a person has signed in: %s', (storedSecretFields, expected) => {
  expect(isSignedIn({ ...credential, storedSecretFields, users: [] })).toBe(expected);
});

test.each([
  ['http://a/console/credentials/mail?dialog=sign-in', '/console/credentials/mail'],
  ['http://a/console/credentials?type=oauth2&signIn=x', '/console/credentials?type=oauth2'],
  ['http://a/console/workflows/b/edit#c', '/console/workflows/b/edit'],
])('%s comes back to %s', (href, expected) => {
  expect(toReturnTo(href)).toBe(expected);
});
