import { AppError } from '../../../shared/errors.ts';
import { featureCatalogue } from '../../../shared/feature-catalogue.ts';
import { featureError } from '../../../shared/feature-errors.ts';
import { Refusal } from '../../../shared/refusal.ts';

/**
 * The same problem for all reasons. A signature is no credential of HTTP authentication, for which 401 asks (RFC 9110 §11): 403,
 * but for tokens, and for senders that want 401.
 *
 * @param challenge - value of `WWW-Authenticate`, for 401
 */
export const refuseSignature = (reason: string, challenge?: string): AppError => {
  const cause = new Refusal(`signature: ${reason}`);
  if (challenge === undefined) return featureError('SIGNATURE_INVALID', {}, cause);
  const entry = { ...featureCatalogue.SIGNATURE_INVALID, status: 401 };
  return new AppError('SIGNATURE_INVALID', { challenge }, cause, entry);
};
