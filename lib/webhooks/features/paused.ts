import { featureError } from '../../shared/feature-errors.ts';
import type { WebhookFeature } from '../webhook-feature.ts';

/** Refuses all requests for now. */
export const paused: WebhookFeature = () => ({
  admit: () => {
    throw featureError('WEBHOOK_PAUSED', {});
  },
});
