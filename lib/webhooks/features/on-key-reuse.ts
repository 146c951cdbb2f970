import type { WebhookFeature } from '../webhook-feature.ts';

/** Takes part at no stage: the delivery is claimed behind all of them, see `runWebhook`. */
export const onKeyReuse: WebhookFeature = () => ({});
