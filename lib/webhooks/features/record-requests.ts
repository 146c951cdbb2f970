import type { WebhookFeature } from '../webhook-feature.ts';

/** No stage of its own: the outcome is known only after all stages, see `noteOutcome`. */
export const recordRequests: WebhookFeature = () => ({});
