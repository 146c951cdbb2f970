import { createHmac } from 'node:crypto';
import type { JsonObject } from '@hookloom/plugin-kit';

/**
 * Headers with which some senders sign the bytes of a body; null for a rule that this is no sender for.
 *
 * @param atSeconds - the time of the signature, since the epoch
 */
export const signRequest = (
  rule: JsonObject,
  secret: string,
  body: Uint8Array,
  atSeconds: number,
): Readonly<Record<string, string>> | null => {
  const sign = (encoding: 'hex' | 'base64', before = '') =>
    createHmac('sha256', secret).update(before).update(body).digest(encoding);
  switch (rule.scheme) {
    case 'github':
      return { 'x-hub-signature-256': `sha256=${sign('hex')}` };
    case 'shopify':
      return { 'x-shopify-hmac-sha256': sign('base64') };
    case 'stripe':
      return { 'stripe-signature': `t=${atSeconds},v1=${sign('hex', `${atSeconds}.`)}` };
    case 'slack':
      return {
        'x-slack-request-timestamp': String(atSeconds),
        'x-slack-signature': `v0=${sign('hex', `v0:${atSeconds}:`)}`,
      };
    case 'hmac':
      return rule.signed === undefined ? { 'x-signature': `v1=${sign('base64')}` } : null;
    default:
      return null;
  }
};
