import { SIGNATURE_INVALID } from '../../../shared/error-catalogue.ts';
import { AppError, Refusal } from '../../../shared/errors.ts';

/**
 * The same problem for every reason. The status is 403, since 401 requests HTTP authentication (RFC 9110 §11) and a
 * signature is not that; 401 only for tokens, and for senders that expect it.
 *
 * @param challenge - value of `WWW-Authenticate`, for 401
 */
export const refuseSignature = (reason: string, challenge?: string): AppError => {
  const cause = new Refusal(`signature: ${reason}`);
  if (challenge === undefined) return new AppError(SIGNATURE_INVALID, {}, cause);
  return new AppError(asUnauthorized, { challenge }, cause);
};

const asUnauthorized: typeof SIGNATURE_INVALID = (p) => ({ ...SIGNATURE_INVALID(p), status: 401 });
