import { featureError } from '../../shared/feature-errors.ts';
import type { WebhookFeature } from '../webhook-feature.ts';

/** Refuses all requests, or stores those that pass all checks until the webhook is resumed. */
export const paused: WebhookFeature = (value) =>
  value === 'store'
    ? { start: async () => ({ reason: 'paused' }) }
    : {
        admit: () => {
          throw featureError('WEBHOOK_PAUSED', {});
        },
      };
