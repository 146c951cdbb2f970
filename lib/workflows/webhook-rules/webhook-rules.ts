import type { WebhookFeatures } from '../definition/path-config.ts';
import { allowFrom } from './allow-from.ts';
import { handshake } from './handshake.ts';
import { paused } from './paused.ts';
import { signature } from './signature.ts';
import type { WebhookRule } from './webhook-rule.ts';

/** By the name of the parameter. */
export const webhookRules: Readonly<Record<keyof WebhookFeatures, WebhookRule>> = {
  paused,
  allowFrom,
  signature,
  handshake,
};
