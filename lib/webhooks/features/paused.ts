import { AppError } from '../../shared/errors.ts';
import type { WebhookFeature } from '../webhook-feature.ts';

/** Refuses all requests for now. */
export const paused: WebhookFeature = () => ({
  admit: () => {
    throw new AppError('WEBHOOK_PAUSED', {});
  },
});
