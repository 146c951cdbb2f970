import type { HandshakeRule } from '../../../workflows/webhook-rules/handshake.ts';
import type { FeaturePorts, Stages, WebhookFeature } from '../../webhook-feature.ts';
import { custom } from './custom.ts';
import { github } from './github.ts';
import { meta } from './meta.ts';
import { microsoftGraph } from './microsoft-graph.ts';
import { slack } from './slack.ts';
import { x } from './x.ts';

const schemes: Readonly<
  Record<HandshakeRule['scheme'], (rule: HandshakeRule, ports: FeaturePorts) => Stages>
> = { slack, github, meta, microsoftGraph, x, custom };

/**
 * Answers the test that a sender makes of an address. One by a method of its own is answered before authentication, any other
 * one after it, and after the signature.
 */
export const handshake: WebhookFeature = (value, ports) => {
  const rule = value as HandshakeRule;
  return schemes[rule.scheme](rule, ports);
};
