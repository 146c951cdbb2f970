import {
  type CredentialContext,
  type CredentialFields,
  isPlainObject,
  type OutboundResponse,
  serviceError,
} from '@hookloom/plugin-kit';

interface Token {
  readonly accessToken: string;
  /** Null when the server keeps the one that it was given. */
  readonly refreshToken: string | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

/** For servers that do not say how long a token is valid. */
const DEFAULT_SECONDS = 3_600;

/**
 * Asks the token endpoint for an access token (RFC 6749 §4.4 and §6). Not with the signal of an attempt: other attempts
 * may wait for the same token.
 *
 * @throws AppError `CREDENTIAL_REJECTED` when the server refuses the client or its refresh token, and `OUTBOUND_*`
 */
export const requestToken = async (
  fields: CredentialFields,
  { http, clock }: CredentialContext,
): Promise<Token> => {
  const { tokenUrl = '' } = fields;
  const response = await http.request({
    method: 'POST',
    url: tokenUrl,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...toClientHeader(fields),
    },
    body: toForm(fields).toString(),
    timeoutMs: TIMEOUT_MS,
    maxRedirects: 0,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    signal: new AbortController().signal,
  });
  const target = `POST ${new URL(tokenUrl).host}`;
  const answer = readAnswer(response);
  if (response.status >= 400 && response.status < 500 && response.status !== 429)
    throw serviceError('CREDENTIAL_REJECTED', { target, reason: describeRefusal(response.status, answer) });
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer;
  if (response.status !== 200 || typeof accessToken !== 'string' || accessToken === '')
    throw serviceError('OUTBOUND_FAILED', {
      target,
      reason: `it answered ${response.status} without a token`,
    });
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : null,
    expiresAt: clock.now() + (Number(seconds) || DEFAULT_SECONDS) * 1_000, // some servers send a text
  };
};

/** RFC 6749 §2.3.1: both are form-encoded before they are joined. */
const toClientHeader = ({ clientAuthentication, clientId = '', clientSecret = '' }: CredentialFields) => {
  if (clientAuthentication === 'body' || clientSecret === '') return {};
  const joined = [clientId, clientSecret].map(encodeForm).join(':');
  return { authorization: `Basic ${Buffer.from(joined).toString('base64')}` };
};

const encodeForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

const toForm = (fields: CredentialFields): URLSearchParams => {
  const { grant, clientAuthentication, clientId = '', clientSecret = '', refreshToken = '' } = fields;
  const inBody = clientAuthentication === 'body' || clientSecret === '';
  const form = {
    ...(grant === 'refreshToken'
      ? { grant_type: 'refresh_token', refresh_token: refreshToken }
      : { grant_type: 'client_credentials' }),
    scope: fields.scope ?? '',
    audience: fields.audience ?? '',
    ...(inBody ? { client_id: clientId, client_secret: clientSecret } : {}),
  };
  return new URLSearchParams(Object.entries(form).filter(([, value]) => value !== ''));
};

const readAnswer = ({ body }: OutboundResponse): Record<string, unknown> => {
  try {
    const answer: unknown = JSON.parse(new TextDecoder().decode(body));
    return isPlainObject(answer) ? answer : {};
  } catch {
    return {};
  }
};

/** The error code of RFC 6749 §5.2; other text of the server is not shown. */
const describeRefusal = (status: number, { error }: Record<string, unknown>): string =>
  typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : `it answered ${status}`;
