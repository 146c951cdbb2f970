import type { WebhookFeature } from '../webhook-feature.ts';

/** No stage of its own: the delivery is claimed after all stages, see `runWebhook`. */
export const onKeyReuse: WebhookFeature = () => ({});
