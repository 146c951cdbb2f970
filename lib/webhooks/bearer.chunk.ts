import { AUTHORIZATION_MALFORMED, UNAUTHORIZED } from '../shared/error-catalogue.ts';
import { AppError, Refusal } from '../shared/errors.ts';
import type { WebhookRequest } from './webhook.ts';

type BearerError = 'invalid_request' | 'invalid_token';

/** Value of `WWW-Authenticate`: with an error only if a token was sent (RFC 6750 §3.1). */
export const bearerChallenge = (error?: BearerError): string =>
  `Bearer realm="hookloom"${error === undefined ? '' : `, error="${error}"`}`;

/** Bearer token in an `Authorization` header (RFC 6750 §2.1). */
const TOKEN = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Whether an `Authorization` header uses the bearer scheme, well-formed or not. */
const IS_BEARER = /^bearer(?: |$)/i;

/**
 * Reads `Authorization: Bearer`. Null for any other scheme, or without the header.
 *
 * @param source - what refuses the request, for the log
 * @throws AppError `AUTHORIZATION_MALFORMED` for a malformed bearer token (RFC 6750 §3.1, invalid_request)
 */
export const readBearer = (authorization: string | undefined, source: string): string | null => {
  if (authorization === undefined || !IS_BEARER.test(authorization)) return null;
  const [, token] = TOKEN.exec(authorization) ?? [];
  if (token === undefined) throw malformedBearer(source);
  return token;
};

const malformedBearer = (source: string): AppError =>
  new AppError(
    AUTHORIZATION_MALFORMED,
    { challenge: bearerChallenge('invalid_request') },
    new Refusal(`${source}: the authorization header has no well-formed bearer token`),
  );
/**
 * The error for a request without a valid API key, with the RFC 6750 error code if the key was sent as a bearer token.
 *
 * @throws AppError `AUTHORIZATION_MALFORMED`
 */
export const refuseBearer = (headers: WebhookRequest['headers']): AppError => {
  const isBearer =
    headers['x-api-key'] === undefined && readBearer(headers.authorization, 'authentication') !== null;
  return new AppError(UNAUTHORIZED, { challenge: bearerChallenge(isBearer ? 'invalid_token' : undefined) });
};
