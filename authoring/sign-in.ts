import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type CredentialFields, isPlainObject, toExactJson } from '@hookloom/plugin-kit';
import { isBound } from '../lib/credentials/outbound/secret-store.ts';
import { tryJson } from '../lib/shared/try-json.ts';
import { describeRefusal, toClientHeader } from '../nodes/credential-types/oauth2.ts';

// Signs a person in to the server of an oauth2 credential: the authorization code grant with PKCE, and a redirect to this
// machine (RFC 6749 §4.1, RFC 7636, RFC 8252 §7.3). Nothing here stores anything.

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
  readonly direction: string;
  readonly type: string;
  readonly fields?: CredentialFields;
  readonly reference?: string;
}

/** The public fields of a credential that a person signs in for. @throws SignInError for any other credential */
export const readSignInFields = ({
  id,
  direction,
  type,
  fields = {},
  reference = '',
}: SignInCredential): CredentialFields => {
  if (direction !== 'outbound' || type !== 'oauth2' || fields.grant !== 'authorizationCode')
    throw new SignInError(
      `${id} needs no sign-in: that is for the type oauth2 with the grant authorizationCode.`,
    );
  if (isBound(reference))
    throw new SignInError(`${id} has its secret in ${reference}, where nothing can be stored.`);
  return fields;
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
export const startSignIn = (fields: CredentialFields, redirectUri: string): StartedSignIn => {
  const address = URL.parse(fields.authorizationUrl ?? '');
  if (address === null || !['https:', 'http:'].includes(address.protocol))
    throw new SignInError('The credential has no authorizationUrl, where people sign in.');
  const [state, verifier] = [random(), random()];
  const query = {
    response_type: 'code',
    client_id: fields.clientId ?? '',
    redirect_uri: redirectUri,
    scope: fields.scope ?? '',
    audience: fields.audience ?? '',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) if (value !== '') address.searchParams.set(name, value);
  return { address: address.href, redirectUri, state, verifier };
};

const random = (): string => randomBytes(32).toString('base64url');

/** Whether the query of a redirect has the state of a sign-in. */
export const isAnswerTo = (query: URLSearchParams, { state }: Pick<StartedSignIn, 'state'>): boolean =>
  isSame(query.get('state') ?? '', state);

/** The code in the query of a redirect. @throws SignInError if it does not answer this sign-in, or grants nothing */
export const readCode = (query: URLSearchParams, started: Pick<StartedSignIn, 'state'>): string => {
  if (!isAnswerTo(query, started))
    throw new SignInError('The redirect has a wrong state: it does not answer this sign-in.');
  const code = query.get('code') ?? '';
  if (code !== '') return code;
  const error = describeRefusal('it sent neither a code nor an error', { error: query.get('error') });
  throw new SignInError(`The server did not grant the sign-in: ${error}.`);
};

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
};

interface CodeExchange extends Pick<StartedSignIn, 'redirectUri' | 'verifier'> {
  /** Of the credential, with the client secret; an empty one for a public client. */
  readonly fields: CredentialFields;
  readonly code: string;
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
  code,
  redirectUri,
  verifier,
  sleep,
}: CodeExchange): Promise<CredentialFields> => {
  const { tokenUrl = '', clientId = '', clientSecret = '' } = fields;
  const header = toClientHeader(fields);
  const client =
    'authorization' in header
      ? {}
      : { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) };
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  const fail = (reason: string) => new SignInError(`POST ${new URL(tokenUrl).host}: ${reason}.`);
  const [late, ended] = [new AbortController(), new AbortController()];
  sleep(TOKEN_MS, ended.signal).then(
    () => late.abort(),
    () => {}, // it has answered
  );
  const { status, answer } = await send(tokenUrl, {
    headers: header,
    body: new URLSearchParams({ ...form, ...client }),
    signal: late.signal,
  })
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

/** Sends a form and reads a JSON object: `{}` for anything else. @throws Error when it takes too long or is too large */
const send = async (
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: URLSearchParams; signal: AbortSignal },
) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    ...{ body, redirect: 'manual', signal },
  });
  const chunks: Uint8Array[] = [];
  let left = MAX_TOKEN_BYTES;
  for await (const chunk of response.body ?? []) {
    left -= chunk.length;
    if (left < 0) throw new Error(`its answer has more than ${MAX_TOKEN_BYTES} bytes`);
    chunks.push(chunk);
  }
  return { status: response.status, answer: parseAnswer(Buffer.concat(chunks).toString('utf8')) };
};

const parseAnswer = (text: string): Record<string, unknown> => {
  const answer = tryJson(toExactJson(text));
  return isPlainObject(answer) ? answer : {};
};
