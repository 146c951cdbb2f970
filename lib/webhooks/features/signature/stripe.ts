import { Refusal } from '../../../shared/refusal.ts';
import { isHmac, limitSignatures, readHeader, type Scheme } from './scheme.ts';
import { checkTimestamp } from './timestamp.ts';

/**
 * `Stripe-Signature: t=1492774577,v1=5257a…,v1=…,v0=…`; `v0` is for test events alone and proves nothing.
 * https://docs.stripe.com/webhooks#verify-manually
 */
export const stripe: Scheme = (rule) => (request, now) => {
  const fields = readHeader(request, 'stripe-signature')
    .split(',')
    .map((field) => field.trim().split('=', 2));
  const valuesOf = (wanted: string) =>
    fields.flatMap(([name, value = '']) => (name === wanted ? [value] : []));
  const [timestamp] = valuesOf('t');
  if (timestamp === undefined) throw new Refusal('the signature has no timestamp');
  checkTimestamp(timestamp, now, rule);
  const signatures = limitSignatures(valuesOf('v1'));
  const signed = [`${timestamp}.`, request.rawBody];
  return (key) => isHmac(signatures, signed, { algorithm: 'sha256', encoding: 'hex', key });
};
