import {
  type CredentialFields,
  describeRefusal,
  isPlainObject,
  toClientHeader,
  toExactJson,
} from '@hookloom/plugin-kit';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type ClientAuth,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  OperationProcessingError,
  UnsupportedOperationError,
  validateAuthResponse,
} from 'oauth4webapi';
import { isBound } from '../../lib/credentials/outbound/secret-store.ts';
import { tryJson } from '../../lib/shared/try-json.ts';

// Signs a person in to the server of a credential: the authorization code grant with PKCE, and a redirect to this
// machine (RFC 6749 §4.1, RFC 7636, RFC 8252 §7.3, RFC 9207). Nothing here stores anything.

/** How long a person may take, in milliseconds. */
export const SIGN_IN_MS = 5 * 60_000;

/** Of the redirect's address, for the command line and the console alike: an app is registered once. */
export const REDIRECT_PATH = '/callback';

const TOKEN_MS = 10_000;
const MAX_TOKEN_BYTES = 65_536;

/** Why a sign-in failed. The message is for the person, and contains nothing that the server sent, except an error code. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** A credential as the admin API shows it. */
export interface SignInCredential {
  readonly id: string;
  /** What a sign-in needs; absent if it has none. */
  readonly signIn?: CredentialFields | undefined;
  readonly reference?: string;
}

/** What the sign-in of a credential needs. @throws SignInError for a credential without one */
export const readSignInFields = ({ id, signIn, reference = '' }: SignInCredential): CredentialFields => {
  if (signIn === undefined)
    throw new SignInError(
      `${id} needs no sign-in: that is for the type oauth2 with the grant authorizationCode, and for types of plugins that have one.`,
    );
  if (isBound(reference))
    throw new SignInError(`${id} has its secret in ${reference}, where nothing can be stored.`);
  return signIn;
};

export interface StartedSignIn {
  /** Where a person signs in. */
  readonly address: string;
  readonly redirectUri: string;
  readonly state: string;
  /** Proves to the server that the code is exchanged by the program that asked for it. */
  readonly verifier: string;
}

/**
 * Makes the address at which a person signs in.
 *
 * @param redirectUri - where the server sends the browser back to
 * @throws SignInError if the credential has no such address
 */
export const startSignIn = async (fields: CredentialFields, redirectUri: string): Promise<StartedSignIn> => {
  const address = URL.parse(fields.authorizationUrl ?? '');
  if (address === null || !['https:', 'http:'].includes(address.protocol))
    throw new SignInError('The credential has no authorizationUrl, where people sign in.');
  const [state, verifier] = [generateRandomState(), generateRandomCodeVerifier()];
  const query = {
    response_type: 'code',
    client_id: fields.clientId ?? '',
    redirect_uri: redirectUri,
    scope: fields.scope ?? '',
    audience: fields.audience ?? '',
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) if (value !== '') address.searchParams.set(name, value);
  return { address: address.href, redirectUri, state, verifier };
};

/** Whether a redirect answers a sign-in. Any page can send a browser here with another state: that ends no sign-in. */
export const isAnswerTo = (query: URLSearchParams, { state }: Pick<StartedSignIn, 'state'>): boolean =>
  query.get('state') === state;

/** What a server has granted, for the exchange: only this module makes it. */
export type Grant = URLSearchParams;

/**
 * Reads the query of a redirect that answers a sign-in.
 *
 * @throws SignInError if the server grants nothing, or another one has answered
 */
export const readGrant = (
  query: URLSearchParams,
  fields: CredentialFields,
  { state }: Pick<StartedSignIn, 'state'>,
): Grant => {
  try {
    const grant = validateAuthResponse(toServer(fields, query), toClient(fields), query, state);
    if (grant.get('code')) return grant;
  } catch (error) {
    if (error instanceof OperationProcessingError || error instanceof UnsupportedOperationError)
      throw new SignInError(
        `The redirect is no answer of ${new URL(fields.authorizationUrl ?? '').host}: ${error.message}.`,
      );
    if (!(error instanceof AuthorizationResponseError)) throw error;
  }
  const error = describeRefusal('it sent neither a code nor an error', { error: query.get('error') });
  throw new SignInError(`The server did not grant the sign-in: ${error}.`);
};

/** The server of a credential. Its tenants may have an issuer each, so any at the address to sign in at is expected. */
const toServer = ({ authorizationUrl = '', tokenUrl = '' }: CredentialFields, query: URLSearchParams) => {
  const { origin } = new URL(authorizationUrl);
  const named = query.get('iss') ?? '';
  return { issuer: URL.parse(named)?.origin === origin ? named : origin, token_endpoint: tokenUrl };
};

const toClient = ({ clientId = '' }: CredentialFields) => ({ client_id: clientId });

interface CodeExchange extends Pick<StartedSignIn, 'redirectUri' | 'verifier'> {
  /** Of the credential, with the client secret; an empty one for a public client. */
  readonly fields: CredentialFields;
  readonly grant: Grant;
  /** @throws the signal's reason when it is aborted before */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Exchanges a code for the secret fields to store: a refresh token, or an access token that never expires.
 *
 * @throws SignInError if the server refuses, takes longer than ten seconds, or sends no usable token
 */
export const exchangeCode = async ({
  fields,
  grant,
  redirectUri,
  verifier,
  sleep,
}: CodeExchange): Promise<CredentialFields> => {
  const { tokenUrl = '', clientSecret = '' } = fields;
  const fail = (reason: string) => new SignInError(`POST ${new URL(tokenUrl).host}: ${reason}.`);
  const [late, ended] = [new AbortController(), new AbortController()];
  sleep(TOKEN_MS, ended.signal).then(
    () => late.abort(),
    () => {}, // it has answered
  );
  const { status, answer } = await authorizationCodeGrantRequest(
    toServer(fields, grant),
    toClient(fields),
    toAuthentication(fields),
    grant,
    redirectUri,
    verifier,
    { [allowInsecureRequests]: true, signal: late.signal }, // servers on this machine
  )
    .then(readAnswer)
    .catch((cause: Error) => {
      throw fail(
        late.signal.aborted
          ? `it did not answer within ${TOKEN_MS / 1_000} seconds`
          : `it could not be asked: ${cause.message}`,
      );
    })
    .finally(() => ended.abort('the server has answered'));
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer;
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  if (status !== 200 || !isText(accessToken))
    throw fail(describeRefusal(`it answered ${status} without a token`, answer));
  if (isText(refreshToken)) return { clientSecret, refreshToken };
  if (seconds === undefined) return { clientSecret, refreshToken: '', accessToken };
  throw fail(
    'it sent an access token that expires, but no refresh token: many servers need a scope such as offline_access',
  );
};

/** As runs do when they refresh the token. The library would also encode the dashes of an id, which some servers do not decode. */
const toAuthentication =
  (fields: CredentialFields): ClientAuth =>
  (_server, client, body, headers) => {
    const own = Object.entries(toClientHeader(fields));
    for (const [name, value] of own) headers.set(name, value);
    if (own.length > 0) return;
    body.set('client_id', client.client_id);
    if (fields.clientSecret) body.set('client_secret', fields.clientSecret);
  };

/**
 * Reads a JSON object: `{}` for anything else. The library's own reader has no limit, and wants a content type and a type of
 * token that many servers do not send.
 *
 * @throws Error when it is too large
 */
const readAnswer = async ({ status, body }: Response) => {
  const chunks: Uint8Array[] = [];
  let left = MAX_TOKEN_BYTES;
  for await (const chunk of body ?? []) {
    left -= chunk.length;
    if (left < 0) throw new Error(`its answer has more than ${MAX_TOKEN_BYTES} bytes`);
    chunks.push(chunk);
  }
  const answer = tryJson(toExactJson(Buffer.concat(chunks).toString('utf8')));
  return { status, answer: isPlainObject(answer) ? answer : {} };
};
