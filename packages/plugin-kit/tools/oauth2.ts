import type { CredentialContext, CredentialFields } from '../contract/credential-type.ts';
import { CatalogueError, NodeError } from '../contract/errors.ts';
import { isPlainObject, parseJson } from '../contract/json.ts';
import { CREDENTIAL_REJECTED, OUTBOUND_FAILED } from '../contract/service-error-catalogue.ts';
import type { OutboundRequest, OutboundResponse } from '../contract/services.ts';
import { createExpiringMemo, type Expiring } from './lazy.ts';

interface Token {
  readonly accessToken: string;
  /** Refresh token in the response; null if the server keeps the current one. */
  readonly refreshToken: string | null;
  /** When the refresh token expires, in milliseconds since the epoch; null if the server does not say. */
  readonly refreshTokenEnd: number | null;
  /** When the access token expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

/** Lifetime of a token if a server does not say how long it is valid, in seconds. */
const DEFAULT_SECONDS = 3_600;

/** How servers name the lifetime of a refresh token, in seconds: no standard does. */
const REFRESH_LIFETIMES = ['refresh_token_expires_in', 'refresh_expires_in', 'x_refresh_token_expires_in'];

interface TokenRequest {
  readonly tokenUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form: URLSearchParams;
}

/**
 * Requests an access token from the token endpoint (RFC 6749 §4.4 and §6, RFC 7523 §2.1). Does not use an attempt's
 * signal, since other attempts may be waiting for the same token.
 *
 * @param explain - adds to the reason of a refusal what to do about it
 * @throws AppError `CREDENTIAL_REJECTED` when the server refuses the client or its grant, and `OUTBOUND_*`
 */
export const requestToken = async (
  { tokenUrl, headers = {}, form }: TokenRequest,
  { http, clock }: CredentialContext,
  explain = (reason: string): string => reason,
): Promise<Token> => {
  const response = await http.request({
    method: 'POST',
    url: tokenUrl,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: form.toString(),
    timeoutMs: TIMEOUT_MS,
    maxRedirects: 0,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    signal: new AbortController().signal,
  });
  const target = `POST ${new URL(tokenUrl).host}`;
  const answer = readAnswer(response);
  if (response.status >= 400 && response.status < 500 && response.status !== 429)
    throw new CatalogueError(CREDENTIAL_REJECTED, {
      target,
      reason: explain(describeRefusal(`it answered ${response.status}`, answer)),
    });
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer;
  if (response.status !== 200 || typeof accessToken !== 'string' || accessToken === '')
    throw new CatalogueError(OUTBOUND_FAILED, {
      target,
      reason: `it answered ${response.status} without a token`,
    });
  const refreshSeconds = Number(REFRESH_LIFETIMES.map((name) => answer[name]).find(Boolean)) || 0; // 0: never
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : null,
    refreshTokenEnd: refreshSeconds > 0 ? clock.now() + refreshSeconds * 1_000 : null,
    expiresAt: clock.now() + (Number(seconds) || DEFAULT_SECONDS) * 1_000, // some servers send a text
  };
};

/**
 * Makes the header that authenticates a client: id and secret are form-encoded before they are joined (RFC 6749
 * §2.3.1).
 */
export const toClientHeader = ({
  clientAuthentication,
  clientId = '',
  clientSecret = '',
}: CredentialFields): Record<string, string> => {
  if (clientAuthentication === 'body' || clientSecret === '') return {};
  const joined = [clientId, clientSecret].map(encodeForm).join(':');
  return { authorization: `Basic ${Buffer.from(joined).toString('base64')}` };
};

const encodeForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

const toForm = (fields: CredentialFields): URLSearchParams => {
  const { clientAuthentication, clientId = '', clientSecret = '', refreshToken = '' } = fields;
  const inBody = clientAuthentication === 'body' || clientSecret === '';
  const form = {
    ...(usesRefreshToken(fields)
      ? { grant_type: 'refresh_token', refresh_token: refreshToken }
      : { grant_type: 'client_credentials' }),
    scope: fields.scope ?? '',
    audience: fields.audience ?? '',
    ...(inBody ? { client_id: clientId, client_secret: clientSecret } : {}),
  };
  return new URLSearchParams(Object.entries(form).filter(([, value]) => value !== ''));
};

const usesRefreshToken = ({ grant }: CredentialFields): boolean =>
  grant === 'refreshToken' || grant === 'authorizationCode';

const readAnswer = ({ body }: OutboundResponse): Record<string, unknown> => {
  try {
    const answer: unknown = parseJson(new TextDecoder().decode(body));
    return isPlainObject(answer) ? answer : {};
  } catch {
    return {};
  }
};

/** The error code of RFC 6749 §4.1.2.1 and §5.2; other text of the server is not shown. @param otherwise - without a code */
export const describeRefusal = (otherwise: string, { error }: Record<string, unknown>): string =>
  typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : otherwise;

/** Says what to do about a refused refresh token that a person has to replace. */
const addSignIn = ({ grant }: CredentialFields, reason: string): string =>
  grant === 'authorizationCode' && reason === 'invalid_grant' ? askToConnect(reason, ' again') : reason;

const askToConnect = (reason: string, again = ''): string =>
  `${reason}, so a person has to connect it${again} (hookloom credential connect)`;

/** A saved access token is used until this long before it expires. */
const MARGIN_MS = 60_000;

/** Keyed by identity, since the service makes a new object if fields change or were rejected. */
const accessTokens = createExpiringMemo<CredentialFields, string>(new WeakMap());

/**
 * Adds the access token of fields as the type `oauth2` has them, which it gets and renews.
 *
 * @throws AppError `CREDENTIAL_REJECTED` when the server refuses the client or its refresh token, and `OUTBOUND_*`
 */
export const applyOauth2 = async (
  request: OutboundRequest,
  fields: CredentialFields,
  context: CredentialContext,
): Promise<OutboundRequest> => {
  const now = context.clock.now();
  const token =
    findSavedToken(fields, context, now) ??
    (await accessTokens(fields, now, () => loadToken(fields, context)));
  const others = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...request, headers: { ...Object.fromEntries(others), authorization: `Bearer ${token}` } };
};

const findSavedToken = (
  { grant, accessToken, accessTokenExpiresAt, refreshToken = '' }: CredentialFields,
  { rejected }: CredentialContext,
  now: number,
): string | null => {
  if (accessToken === undefined || accessToken === rejected?.accessToken) return null;
  if (grant === 'authorizationCode' && refreshToken === '') return accessToken; // it never expires
  return now + MARGIN_MS < Number(accessTokenExpiresAt) ? accessToken : null;
};

/**
 * Gets a token. One of a refresh token is stored for all sandboxes, together with the refresh token that a server may
 * have replaced: it then no longer accepts the old one.
 */
const loadToken = async (fields: CredentialFields, context: CredentialContext): Promise<Expiring<string>> => {
  const { clock, renewSecrets } = context;

  if (fields.grant === 'authorizationCode' && !fields.refreshToken) {
    const target = new URL(fields.tokenUrl ?? '').host;
    const reason =
      fields.accessToken === undefined
        ? askToConnect('nobody has signed in')
        : askToConnect('its access token is no longer accepted', ' again');
    throw new CatalogueError(CREDENTIAL_REJECTED, { target, reason });
  }
  const request = (current: CredentialFields) =>
    requestToken(
      { tokenUrl: current.tokenUrl ?? '', headers: toClientHeader(current), form: toForm(current) },
      context,
      (reason) => addSignIn(current, reason),
    );
  if (!usesRefreshToken(fields) || renewSecrets === undefined) {
    const { accessToken, refreshToken, expiresAt } = await request(fields);
    if (usesRefreshToken(fields) && refreshToken !== null && refreshToken !== fields.refreshToken)
      throw new NodeError(CANNOT_STORE, { name: 'CredentialUnusable', isRetryable: false });
    return { value: accessToken, expiresAt };
  }
  const { accessToken = '', accessTokenExpiresAt } = await renewSecrets({
    isRenewed: (stored) => findSavedToken(stored, context, clock.now()) !== null,
    renew: async (stored, sayEnd) => {
      const renewed = await request(stored);
      if (renewed.refreshTokenEnd !== null || renewed.refreshToken !== null)
        sayEnd?.(renewed.refreshTokenEnd);
      return {
        accessToken: renewed.accessToken,
        accessTokenExpiresAt: String(renewed.expiresAt),
        ...(renewed.refreshToken === null ? {} : { refreshToken: renewed.refreshToken }),
      };
    },
  });
  return { value: accessToken, expiresAt: Number(accessTokenExpiresAt) };
};

const CANNOT_STORE =
  'the server replaced the refresh token, which the service must store, but its secret is not managed by the service';
