import type { Credential } from '../credentials/credential.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import type { Presented, Verify } from '../credentials/verify.ts';
import { AppError } from '../shared/errors.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import { readApiKey, readBasic } from './read-presented.ts';
import type { WebhookRequest } from './webhook-request.ts';

type Headers = WebhookRequest['headers'];

/** One way to authenticate. */
interface Scheme {
  readonly type: Credential['type'];
  /** The value of `WWW-Authenticate`: the same whether credentials were missing or wrong. */
  readonly challenge: string;
  /** The headers that may carry the credential. Nothing downstream sees their values, whichever of them did. */
  readonly carriers: readonly string[];
  readonly read: (headers: Headers) => Presented | null;
}

const schemes: ReadonlyMap<string, Scheme> = new Map<PathConfig['authentication'], Scheme>([
  [
    'apiKey',
    {
      type: 'apiKey',
      challenge: 'Bearer realm="hookloom"',
      carriers: ['x-api-key', 'authorization'],
      read: readApiKey,
    },
  ],
  [
    'basic',
    {
      type: 'basic',
      challenge: 'Basic realm="hookloom", charset="UTF-8"',
      carriers: ['authorization'],
      read: readBasic,
    },
  ],
]);

interface AuthenticationParts {
  readonly findCredential: CredentialStore['find'];
  readonly verify: Verify;
}

/**
 * Lets a request pass, with the headers that the workflow may see, or throws. Only the exact setting `none` is
 * open: one that is unknown, or whose credential can't be used, is a fault of ours and never lets anybody in.
 * @throws AppError `UNAUTHORIZED` | `AUTHENTICATION_MISCONFIGURED` | `STORE_UNAVAILABLE`
 */
export const authenticate = async (
  headers: Headers,
  { authentication, credentialId }: Pick<PathConfig, 'authentication' | 'credentialId'>,
  { findCredential, verify }: AuthenticationParts,
): Promise<Headers> => {
  if (authentication === 'none') return headers;
  const scheme =
    schemes.get(authentication) ?? misconfigured(`there is no authentication "${authentication}"`);
  const credential = credentialId === null ? null : await findCredential(credentialId);
  if (credential === null) return misconfigured(`there is no credential "${credentialId ?? ''}"`);
  if (!isUsable(credential, scheme.type)) {
    return misconfigured(`the credential "${credential.id}" has no secret for ${authentication}`);
  }
  const presented = scheme.read(headers);
  const isCaller = presented !== null && (await verifyOrRefuse(verify, credential, presented));
  if (!isCaller) throw new AppError('UNAUTHORIZED', { challenge: scheme.challenge });
  return redact(headers, scheme.carriers);
};

const isUsable = ({ type, username, secrets }: Credential, wanted: Credential['type']): boolean =>
  type === wanted && secrets.length > 0 && (type === 'basic') === (username !== null);

/** @param reason for the log, where operators look for it */
const misconfigured = (reason: string): never => {
  throw new AppError('AUTHENTICATION_MISCONFIGURED', {}, new Error(reason));
};

/** A stored hash that can't be computed is as good as none. */
const verifyOrRefuse = async (verify: Verify, credential: Credential, presented: Presented) => {
  try {
    return await verify(credential, presented);
  } catch (cause) {
    throw new AppError('AUTHENTICATION_MISCONFIGURED', {}, cause);
  }
};

const redact = (headers: Headers, carriers: readonly string[]): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, carriers.includes(name) ? '[redacted]' : value]),
  );
