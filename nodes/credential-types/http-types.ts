import type { CredentialType } from '@hookloom/plugin-kit';
import { testUrl, testWith, textSchema, withHeader } from './parts.ts';

type Apply = NonNullable<CredentialType['apply']>;

const secret = (description: string) => ({ minLength: 1, description });

const addBearer: Apply = (request, { token = '' }) => withHeader(request, 'authorization', `Bearer ${token}`);

export const httpBearer: CredentialType = {
  id: 'httpBearer',
  name: 'Bearer token',
  description: 'Sends a token as Authorization: Bearer (RFC 6750)',
  schema: textSchema('token', { token: secret('The token'), testUrl }),
  secretFields: ['token'],
  apply: addBearer,
  test: testWith(addBearer),
};

const addBasic: Apply = (request, { username = '', password = '' }) =>
  withHeader(request, 'authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);

export const httpBasic: CredentialType = {
  id: 'httpBasic',
  name: 'User name and password',
  description: 'Sends a user name and a password as Authorization: Basic (RFC 7617)',
  schema: textSchema('username password', {
    username: { pattern: '^[^:]+$', description: 'Without a colon' },
    password: secret('The password'),
    testUrl,
  }),
  secretFields: ['password'],
  apply: addBasic,
  test: testWith(addBasic),
};

const addHeader: Apply = (request, { name = '', value = '' }) => withHeader(request, name, value);

export const httpHeader: CredentialType = {
  id: 'httpHeader',
  name: 'Header',
  description: 'Sends a secret in a header, such as X-Api-Key',
  schema: textSchema('name value', {
    name: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", description: 'Name of the header' },
    value: secret('Its value'),
    testUrl,
  }),
  secretFields: ['value'],
  apply: addHeader,
  test: testWith(addHeader),
};

/** Servers log URLs, so a header is the better place if an API accepts both. */
const addParameter: Apply = (request, { name = '', value = '' }) => {
  const url = new URL(request.url);
  url.searchParams.set(name, value);
  return { ...request, url: url.href };
};

export const httpQuery: CredentialType = {
  id: 'httpQuery',
  name: 'Query parameter',
  description: 'Sends a secret in the query of the URL, such as ?key=…',
  schema: textSchema('name value', {
    name: secret('Name of the parameter'),
    value: secret('Its value'),
    testUrl,
  }),
  secretFields: ['value'],
  apply: addParameter,
  test: testWith(addParameter),
};

const apply: NonNullable<CredentialType['apply']> = (
  request,
  { certificate = '', key = '', passphrase = '' },
) => ({
  ...request,
  tls: { certificate, key, ...(passphrase === '' ? {} : { passphrase }) },
});

export const tlsClient: CredentialType = {
  id: 'tlsClient',
  name: 'TLS client certificate',
  description: 'Presents a client certificate to the server (mutual TLS); only for https',
  schema: textSchema('certificate key', {
    certificate: {
      pattern: '^-----BEGIN CERTIFICATE-----\\s[\\s\\S]+-----END ',
      description: 'The certificate in PEM, followed by those of intermediate authorities',
    },
    key: {
      pattern: '^-----BEGIN [A-Z ]*PRIVATE KEY-----\\s[\\s\\S]+-----END ',
      description: 'The private key of the certificate in PEM',
    },
    passphrase: { description: 'Passphrase of an encrypted key' },
    testUrl,
  }),
  secretFields: ['key', 'passphrase'],
  apply,
  test: testWith(apply),
};

/** Sends to a Slack webhook. It has no live test, because any request to the URL posts a message. */
export const slackWebhook: CredentialType = {
  id: 'slackWebhook',
  name: 'Slack webhook',
  description: 'Sends requests to the URL of an incoming webhook, which is the secret, instead of their own',
  schema: textSchema('url', { url: { pattern: '^https?://', description: 'URL of the incoming webhook' } }),
  secretFields: ['url'],
  hosts: ({ url = '' }) => [new URL(url).host],
  setsUrl: true,
  apply: (request, { url = '' }) => ({ ...request, url }),
};
