import {
  type CredentialContext,
  type CredentialFields,
  createExpiringMemo,
  type Expiring,
  type OutboundRequest,
} from '@hookloom/plugin-kit';
import { requestToken } from './request-token.ts';
import { withHeader } from './with-header.ts';

/** A saved access token is used until this long before it expires. */
const MARGIN_MS = 60_000;

/** By identity: the service makes a new object when fields change or were rejected. */
const accessTokens = createExpiringMemo<CredentialFields, string>(new WeakMap());

/** @throws AppError `CREDENTIAL_REJECTED` when the server refuses the client or its refresh token, and `OUTBOUND_*` */
export const applyOauth2 = async (
  request: OutboundRequest,
  fields: CredentialFields,
  context: CredentialContext,
): Promise<OutboundRequest> => {
  const now = context.clock.now();
  const token =
    findSavedToken(fields, context, now) ??
    (await accessTokens(fields, now, () => loadToken(fields, context)));
  return withHeader(request, 'authorization', `Bearer ${token}`);
};

const findSavedToken = (
  { accessToken, accessTokenExpiresAt }: CredentialFields,
  { rejected }: CredentialContext,
  now: number,
): string | null => {
  if (accessToken === undefined || accessToken === rejected?.accessToken) return null;
  return now + MARGIN_MS < Number(accessTokenExpiresAt) ? accessToken : null;
};

/**
 * Gets a token. A server that replaces the refresh token accepts the old one no longer: the new one is stored, with the
 * access token, so that other sandboxes need not replace it again.
 */
const loadToken = async (fields: CredentialFields, context: CredentialContext): Promise<Expiring<string>> => {
  const { accessToken, refreshToken, expiresAt } = await requestToken(fields, context);
  if (refreshToken !== null && refreshToken !== fields.refreshToken)
    await context.saveSecrets?.({ refreshToken, accessToken, accessTokenExpiresAt: String(expiresAt) });
  return { value: accessToken, expiresAt };
};
