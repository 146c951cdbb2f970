import { createSign } from 'node:crypto';
import {
  type CredentialContext,
  type CredentialFields,
  createExpiringMemo,
  isPlainObject,
  type OutboundRequest,
  parseJson,
  requestToken,
} from '@hookloom/plugin-kit';
import { toRequestType, withHeader } from './parts.ts';

/** What is used of the file that Google Cloud gives for a key. */
interface Key {
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id?: string;
  readonly token_uri?: string;
}

const TOKEN_URL = 'https://oauth2.googleapis.com/token';

/** Lifetime of an assertion, the longest that Google accepts, in seconds. */
const LIFETIME_SECONDS = 3_600;

/** Keyed by identity, since the service makes a new object if fields change or were rejected. */
const accessTokens = createExpiringMemo<CredentialFields, string>(new WeakMap());

/**
 * Gets an access token for a signed assertion (RFC 7523,
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest).
 *
 * @throws Error when the key is not such a file, AppError `CREDENTIAL_REJECTED` when Google refuses it, and `OUTBOUND_*`
 */
const addAccessToken = async (
  request: OutboundRequest,
  fields: CredentialFields,
  context: CredentialContext,
) => {
  const now = context.clock.now();
  const token = await accessTokens(fields, now, async () => {
    const key = readKey(fields);
    const { token_uri: tokenUrl = TOKEN_URL } = key;
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: createAssertion(key, { ...fields, tokenUrl }, now),
    });
    const { accessToken, expiresAt } = await requestToken({ tokenUrl, form }, context);
    return { value: accessToken, expiresAt };
  });
  return withHeader(request, 'authorization', `Bearer ${token}`);
};

const readKey = ({ key = '' }: CredentialFields): Key => {
  let read: Partial<Key> = {};
  try {
    const value = parseJson(key);
    if (isPlainObject(value)) read = value;
  } catch {
    // said below, without the parser's excerpt of the key
  }
  const { client_email: email, private_key: privateKey } = read;
  if (typeof email !== 'string' || typeof privateKey !== 'string')
    throw new Error('the key must be the JSON file of a service account, with client_email and private_key');
  return { ...read, client_email: email, private_key: privateKey };
};

/** Makes a JSON Web Token (RFC 7519), signed with RS256. */
const createAssertion = (
  { client_email: email, private_key: privateKey, private_key_id: keyId }: Key,
  { scope = '', subject = '', tokenUrl }: CredentialFields,
  now: number,
): string => {
  const issuedAt = Math.floor(now / 1_000);
  const claims = {
    iss: email,
    scope,
    aud: tokenUrl,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    ...(subject === '' ? {} : { sub: subject }),
  };
  const signed = [{ alg: 'RS256', typ: 'JWT', kid: keyId }, claims].map(encodeJwtPart).join('.');
  return `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`;
};

const encodeJwtPart = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

export const googleServiceAccount = toRequestType({
  id: 'googleServiceAccount',
  name: 'Google service account',
  description:
    'Gets an access token with the key of a service account (RFC 7523), and sends it as a bearer token',
  required: 'key scope',
  fields: {
    key: {
      pattern: '"private_key"',
      contentMediaType: 'application/json',
      description: 'The JSON file of the key',
    },
    scope: {
      minLength: 1,
      description: 'Scopes, separated by spaces, such as https://www.googleapis.com/auth/spreadsheets',
    },
    subject: { description: 'Address of the user to act for, with domain-wide delegation' },
  },
  secretFields: ['key'],
  hosts: ['*.googleapis.com'],
  apply: addAccessToken,
});
