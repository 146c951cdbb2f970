import { AppError } from '../../../shared/errors.ts';
import type { WebhookFeature } from '../../webhook-feature.ts';

/** Refuses bodies above a limit of the webhook's own, which can only be below that of the service. */
export const maxBodyBytes: WebhookFeature = (rule) => {
  const limitBytes = Number(rule);
  return {
    admit: ({ request: { rawBody } }) => {
      if (!(rawBody.byteLength <= limitBytes)) throw new AppError('BODY_TOO_LARGE', { limitBytes });
      return null;
    },
  };
};
