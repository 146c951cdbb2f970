import type { HandshakeRule } from '../../../workflows/webhook-rules/handshake.ts';
import type { WebhookFeature } from '../../webhook-feature.ts';
import { custom } from './custom.ts';
import { handshakes } from './schemes.ts';

/**
 * Answers the test that a sender makes of an address. One by a method of its own is answered before authentication, as is Asana's;
 * any other one after it, and after the signature.
 */
export const handshake: WebhookFeature = (value, ports) => {
  const rule = value as HandshakeRule;
  return rule.scheme === 'custom' ? custom(rule) : handshakes[rule.scheme](rule, ports);
};
