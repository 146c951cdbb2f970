import type { JsonValue } from '@hookloom/plugin-kit';
import type { Credential, CredentialStore } from '../credentials/credential.ts';
import type { Presented, Verify } from '../credentials/verify.ts';
import { AUTHENTICATION_MISCONFIGURED, UNAUTHORIZED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { isCredentialHeader, REDACTED } from '../shared/secrets/secret-names.ts';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import { decodeUtf8 } from './parse-body.ts';
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

interface AuthenticationParts {
  readonly findCredential: CredentialStore['find'];
  readonly verify: Verify;
}

interface Authenticated {
  /** The request headers, with the credential redacted. */
  readonly headers: Headers;
  /** The id of the secret that the caller presented; null for a webhook without authentication. */
  readonly secretId: string | null;
}

/**
 * Authenticates a request. Only the exact setting `none` lets every request in: an unknown setting, or a missing or
 * unusable credential, refuses all requests.
 *
 * @throws AppError `UNAUTHORIZED` | `AUTHORIZATION_MALFORMED` | `AUTHENTICATION_MISCONFIGURED` | `STORE_UNAVAILABLE`
 */
export const authenticate = async (
  headers: Headers,
  { authentication, credentialId }: Pick<PathConfig, 'authentication' | 'credentialId'>,
  { findCredential, verify }: AuthenticationParts,
): Promise<Authenticated> => {
  if (authentication === 'none') return { headers, secretId: null };
  const scheme =
    schemes.get(authentication) ?? refuse(new Error(`unknown authentication "${authentication}"`));
  const credential = credentialId === null ? null : await findCredential(credentialId);
  if (credential === null) return refuse(new Error(`there is no credential "${credentialId ?? ''}"`));
  if (!isUsable(credential, scheme.type)) {
    return refuse(new Error(`credential "${credential.id}" has no secret for ${authentication}`));
  }
  const presented = scheme.read(headers);
  // A stored hash that can't be verified counts as missing.
  const secretId = presented === null ? null : await verify(credential, presented).catch(refuse);
  if (secretId === null) throw await scheme.refuse(headers);
  return { headers: redactHeaders(headers, scheme.headerNames), secretId };
};

const isUsable = ({ type, username, secrets }: Credential, wanted: Credential['type']): boolean =>
  type === wanted && secrets.length > 0 && (type === 'basic') === (username !== null);

/** Refuses a caller. @param cause - only logged */
const refuse = (cause: unknown): never => {
  throw new AppError(AUTHENTICATION_MISCONFIGURED, {}, cause);
};

/** Redacts the values of some headers. @param names - lower-case */
export const redactHeaders = (headers: Headers, names: readonly string[]): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, names.includes(name) ? REDACTED : value]),
  );

/** Strings in a workflow's node parameters that may name a header, lower-case. */
interface HeaderReferences {
  /** Strings with expressions: these may name a header anywhere. */
  readonly expressions: readonly string[];
  /** Plain strings: the whole string is a header name, such as the name of a signature header. */
  readonly names: ReadonlySet<string>;
}

/** What each workflow reads of the credential headers; filled by the first request that carries a credential. */
const referencesByDefinition = new WeakMap<WorkflowDefinition, HeaderReferences>();

const findReferences = (definition: WorkflowDefinition): HeaderReferences => {
  const known = referencesByDefinition.get(definition);
  if (known !== undefined) return known;
  const expressions: string[] = [];
  const names = new Set<string>();
  const stack: (readonly [key: string, value: JsonValue])[] = definition.nodes.map(
    ({ parameters }) => ['', parameters] as const,
  );
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [key, value] = next;
    if (typeof value === 'string') {
      // The trigger's `deduplication` is a bare expression, without braces.
      if (value.includes('{{') || key === 'deduplication') expressions.push(value.toLowerCase());
      else names.add(value.toLowerCase());
    } else if (typeof value === 'object' && value !== null) {
      stack.push(...Object.entries(value));
    }
  }
  const references = { expressions, names };
  referencesByDefinition.set(definition, references);
  return references;
};

/** @returns a test for lower-case header names that a node of the workflow mentions */
const createIsNamed = (definition: WorkflowDefinition): ((name: string) => boolean) => {
  const { expressions, names } = findReferences(definition);
  return (name) => names.has(name) || expressions.some((text) => text.includes(name));
};

/**
 * Redacts headers that carry the sender's credentials, such as `authorization`, `cookie` or `x-api-key`, unless a node
 * names them in an expression or as a parameter. Credentials that the workflow does not read are neither stored nor
 * passed on.
 */
export const redactCredentialHeaders = (
  headers: WebhookRequest['headers'],
  definition: WorkflowDefinition,
): WebhookRequest['headers'] => {
  const credentials = Object.keys(headers).filter(isCredentialHeader);
  if (credentials.length === 0) return headers;
  const isNamed = createIsNamed(definition);
  return redactHeaders(
    headers,
    credentials.filter((name) => !isNamed(name)),
  );
};

/** A redacted header that a node of the workflow reads; null if there is none. */
export const findNamedHeader = (
  headers: WebhookRequest['headers'],
  definition: WorkflowDefinition,
): string | null => {
  const redacted = Object.keys(headers).filter((name) => headers[name] === REDACTED);
  return redacted.find(createIsNamed(definition)) ?? null;
};
