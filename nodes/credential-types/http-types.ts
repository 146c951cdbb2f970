import {
  type CredentialType,
  isPlainObject,
  type OutboundRequest,
  parseJson,
  setQuery,
} from '@hookloom/plugin-kit';
import { testUrl, testWith, textSchema, toRequestType, withHeader } from './parts.ts';

type Apply = NonNullable<CredentialType['apply']>;

const secret = (description: string) => ({ minLength: 1, description });

export const httpBearer = toRequestType({
  id: 'httpBearer',
  name: 'Bearer token',
  description: 'Sends a token as Authorization: Bearer (RFC 6750)',
  required: 'token',
  fields: { token: secret('The token') },
  secretFields: ['token'],
  apply: (request, { token = '' }) => withHeader(request, 'authorization', `Bearer ${token}`),
});

export const httpBasic = toRequestType({
  id: 'httpBasic',
  name: 'User name and password',
  description: 'Sends a user name and a password as Authorization: Basic (RFC 7617)',
  required: 'username password',
  fields: {
    username: { pattern: '^[^:]+$', description: 'Without a colon' },
    password: secret('The password'),
  },
  secretFields: ['password'],
  apply: (request, { username = '', password = '' }) => {
    const login = Buffer.from(`${username}:${password}`).toString('base64');
    return withHeader(request, 'authorization', `Basic ${login}`);
  },
});

/** @throws Error when the second header has only a name, or only a value */
const addHeader: Apply = (request, { name = '', value = '', secondName = '', secondValue = '' }) => {
  if ((secondName === '') !== (secondValue === ''))
    throw new Error('a second header needs both fields, secondName and secondValue');
  const first = withHeader(request, name, value);
  return secondName === '' ? first : withHeader(first, secondName, secondValue);
};

const headerName = { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", description: 'Name of the header' };

export const httpHeader = toRequestType({
  id: 'httpHeader',
  name: 'Header',
  description: 'Sends a secret in a header, such as X-Api-Key, or two in two headers',
  required: 'name value',
  fields: {
    name: headerName,
    value: secret('Its value'),
    secondName: { ...headerName, description: 'Name of a second header, for APIs that need two' },
    secondValue: secret('The value of the second header'),
  },
  secretFields: ['value', 'secondValue'],
  apply: addHeader,
});

/** Servers log URLs, so a header is the better place if an API accepts both. */
export const httpQuery = toRequestType({
  id: 'httpQuery',
  name: 'Query parameter',
  description: 'Sends a secret in the query of the URL, such as ?key=…',
  required: 'name value',
  fields: { name: secret('Name of the parameter'), value: secret('Its value') },
  secretFields: ['value'],
  apply: (request, { name = '', value = '' }) => ({ ...request, url: setQuery(request.url, name, value) }),
});

/** @throws Error when the request has another body than a JSON object */
const addToBody: Apply = (request, { name = '', value = '' }) => {
  const given = request.body === null ? {} : readJson(request.body);
  if (!isPlainObject(given) || request.method === 'GET' || request.method === 'HEAD')
    throw new Error('a credential of the type httpBody needs a request whose body is a JSON object');
  const headers = withHeader(request, 'content-type', 'application/json').headers;
  return { ...request, headers, body: addField(request.body, given, [name, value]) };
};

/** A body as it was written, with one more field: parsed and written again, its large numbers would lose digits. */
const addField = (
  body: OutboundRequest['body'],
  given: Readonly<Record<string, unknown>>,
  [name, value]: readonly [string, string],
): string => {
  if (Object.hasOwn(given, name) || Object.keys(given).length === 0)
    return JSON.stringify({ ...given, [name]: value });
  return `${bodyToText(body).trimEnd().slice(0, -1)},${JSON.stringify({ [name]: value }).slice(1)}`;
};

const bodyToText = (body: OutboundRequest['body']): string =>
  body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);

const readJson = (body: NonNullable<OutboundRequest['body']>): unknown => {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return undefined;
  try {
    return parseJson(bodyToText(body));
  } catch {
    return undefined;
  }
};

export const httpBody: CredentialType = {
  id: 'httpBody',
  name: 'Field of the body',
  description: 'Sends a secret in a field of the JSON body, such as {"api_key": "…"}',
  schema: textSchema('name value', {
    name: secret('Name of the field'),
    value: secret('Its value'),
    testUrl: { ...testUrl, description: `With POST: ${testUrl.description}` },
  }),
  secretFields: ['value'],
  apply: addToBody,
  test: testWith(addToBody, 'POST'),
};

export const tlsClient = toRequestType({
  id: 'tlsClient',
  name: 'TLS client certificate',
  description: 'Presents a client certificate to the server (mutual TLS); only for https',
  required: 'certificate key',
  fields: {
    certificate: {
      pattern: '^-----BEGIN CERTIFICATE-----\\s[\\s\\S]+-----END ',
      description: 'The certificate in PEM, followed by those of intermediate authorities',
    },
    key: {
      pattern: '^-----BEGIN [A-Z ]*PRIVATE KEY-----\\s[\\s\\S]+-----END ',
      description: 'The private key of the certificate in PEM',
    },
    passphrase: { description: 'Passphrase of an encrypted key' },
  },
  secretFields: ['key', 'passphrase'],
  apply: (request, { certificate = '', key = '', passphrase = '' }) => ({
    ...request,
    tls: { certificate, key, ...(passphrase === '' ? {} : { passphrase }) },
  }),
});

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
