import { AppError } from '../../../shared/errors.ts';
import { featureCatalogue } from '../../../shared/feature-catalogue.ts';
import { featureError } from '../../../shared/feature-errors.ts';
import { Refusal } from '../../../shared/refusal.ts';

/**
 * The same problem for every reason. The status is 403, since 401 requests HTTP authentication (RFC 9110 §11) and a
 * signature is not that; 401 only for tokens, and for senders that expect it.
 *
 * @param challenge - value of `WWW-Authenticate`, for 401
 */
export const refuseSignature = (reason: string, challenge?: string): AppError => {
  const cause = new Refusal(`signature: ${reason}`);
  if (challenge === undefined) return featureError('SIGNATURE_INVALID', {}, cause);
  const entry = { ...featureCatalogue.SIGNATURE_INVALID, status: 401 };
  return new AppError('SIGNATURE_INVALID', { challenge }, cause, entry);
};
