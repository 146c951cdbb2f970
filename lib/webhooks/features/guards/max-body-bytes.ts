import { AppError } from '../../../shared/errors.ts';
import type { WebhookFeature } from '../../webhook-feature.ts';

/** Refuses bodies above the webhook's own limit, which can't exceed that of the service, both as received and inflated. */
export const maxBodyBytes: WebhookFeature = (rule) => {
  const limitBytes = Number(rule);
  return {
    maxBodyBytes: limitBytes,
    admit: ({ request: { rawBody } }) => {
      if (!(rawBody.byteLength <= limitBytes)) throw new AppError('BODY_TOO_LARGE', { limitBytes });
      return null;
    },
  };
};
