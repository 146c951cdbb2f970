import { featureError } from '../../shared/feature-errors.ts';
import type { WebhookFeature } from '../webhook-feature.ts';

/** Refuses all requests for now, or stores what passes all checks until the webhook is not paused any more. */
export const paused: WebhookFeature = (value) =>
  value === 'store'
    ? { start: async () => ({ reason: 'paused' }) }
    : {
        admit: () => {
          throw featureError('WEBHOOK_PAUSED', {});
        },
      };
