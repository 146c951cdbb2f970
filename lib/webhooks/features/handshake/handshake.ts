import type { HandshakeRule } from '../../../workflows/webhook-rules/handshake.ts';
import type { WebhookFeature } from '../../webhook-feature.ts';
import { custom } from './custom.ts';
import { handshakes } from './schemes.ts';

/**
 * Answers a sender's test of the webhook address. Handshakes with their own method, and Asana's, are answered before
 * authentication; all others after it and after signature verification.
 */
export const handshake: WebhookFeature = (value, ports) => {
  const rule = value as HandshakeRule;
  return rule.scheme === 'custom' ? custom(rule) : handshakes[rule.scheme](rule, ports);
};
