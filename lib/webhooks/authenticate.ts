import type { Credential, CredentialStore } from '../credentials/credential.ts';
import type { Presented, Verify } from '../credentials/verify.ts';
import { AUTHENTICATION_MISCONFIGURED, UNAUTHORIZED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import { decodeUtf8 } from './parse-body.ts';
import { redactHeaders } from './redact-credential-headers.ts';
import type { WebhookRequest } from './webhook.ts';

type Headers = WebhookRequest['headers'];

interface Scheme {
  readonly type: Credential['type'];
  /** The error for a request without a valid credential. */
  readonly refuse: (headers: Headers) => Promise<AppError>;
  /** Headers that may carry the credential; all are redacted downstream. */
  readonly headerNames: readonly string[];
  readonly read: (headers: Headers) => Presented | null;
}

/**
 * Reads `x-api-key` or, without that header, `Authorization: Bearer` (RFC 6750 §2.1). Null when the key is missing or
 * empty. A header sent twice arrives joined by a comma, so it matches no key.
 * @internal
 */
export const readApiKey = (headers: Headers): Presented | null => {
  const secret = headers['x-api-key'] ?? matchOf(/^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i, headers.authorization);
  return secret === undefined || secret === '' ? null : { username: null, secret };
};

/**
 * Reads `Authorization: Basic` (RFC 7617): base64 of `user:password` in UTF-8, split at the first colon. Null for
 * anything else. Checks the alphabet first, since Node's decoder skips illegal characters and accepts the URL-safe
 * alphabet, then that the bytes are UTF-8.
 * @internal
 */
export const readBasic = (headers: Headers): Presented | null => {
  const token = matchOf(/^Basic +([A-Za-z0-9+/]+={0,2})$/i, headers.authorization);
  const text = token === undefined ? null : decodeUtf8(Buffer.from(token, 'base64'), { keepsMark: true });
  const colon = text?.indexOf(':') ?? -1;
  if (text === null || colon < 0) return null;
  return { username: text.slice(0, colon), secret: text.slice(colon + 1) };
};

const matchOf = (pattern: RegExp, text = ''): string | undefined => pattern.exec(text)?.[1];

const schemes: ReadonlyMap<string, Scheme> = new Map<PathConfig['authentication'], Scheme>([
  [
    'apiKey',
    {
      type: 'apiKey',
      refuse: async (headers) => (await import('./bearer.chunk.ts')).refuseBearer(headers),
      headerNames: ['x-api-key', 'authorization'],
      read: readApiKey,
    },
  ],
  [
    'basic',
    {
      type: 'basic',
      refuse: async () =>
        new AppError(UNAUTHORIZED, { challenge: 'Basic realm="hookloom", charset="UTF-8"' }),
      headerNames: ['authorization'],
      read: readBasic,
    },
  ],
]);

/**
 * Authenticates a request. Only the exact setting `none` lets every request in: an unknown setting, or a missing or
 * unusable credential, refuses all requests.
 *
 * @returns the request headers, with the credential redacted, and the id of the secret that the caller presented; null
 *   for a webhook without authentication
 * @throws AppError `UNAUTHORIZED` | `AUTHORIZATION_MALFORMED` | `AUTHENTICATION_MISCONFIGURED` | `STORE_UNAVAILABLE`
 */
export const authenticate = (
  headers: Headers,
  config: Pick<PathConfig, 'authentication' | 'credentialId'>,
  lookups: Lookups,
): Authenticated | Promise<Authenticated> =>
  config.authentication === 'none' ? { headers, secretId: null } : checkCaller(headers, config, lookups);

interface Lookups {
  readonly findCredential: CredentialStore['find'];
  readonly verify: Verify;
}

interface Authenticated {
  readonly headers: Headers;
  readonly secretId: string | null;
}

const checkCaller = async (
  headers: Headers,
  { authentication, credentialId }: Pick<PathConfig, 'authentication' | 'credentialId'>,
  { findCredential, verify }: Lookups,
): Promise<Authenticated> => {
  const scheme =
    schemes.get(authentication) ??
    refuseMisconfigured(new Error(`unknown authentication "${authentication}"`));
  const credential = credentialId === null ? null : await findCredential(credentialId);
  if (credential === null)
    return refuseMisconfigured(new Error(`there is no credential "${credentialId ?? ''}"`));
  if (!isUsableCredential(credential, scheme.type)) {
    return refuseMisconfigured(
      new Error(`credential "${credential.id}" has no secret for ${authentication}`),
    );
  }
  const presented = scheme.read(headers);
  // A stored hash that can't be verified counts as missing.
  const secretId = presented === null ? null : await verify(credential, presented).catch(refuseMisconfigured);
  if (secretId === null) throw await scheme.refuse(headers);
  return { headers: redactHeaders(headers, scheme.headerNames), secretId };
};

const isUsableCredential = ({ type, username, secrets }: Credential, wanted: Credential['type']): boolean =>
  type === wanted && secrets.length > 0 && (type === 'basic') === (username !== null);

const refuseMisconfigured = (cause: unknown): never => {
  throw new AppError(AUTHENTICATION_MISCONFIGURED, {}, cause);
};
