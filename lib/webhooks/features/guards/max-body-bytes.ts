import { Type } from '@hookloom/plugin-kit';
import { BODY_TOO_LARGE } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { defineFeature } from '../../webhook-feature.ts';

/** Refuses bodies above the webhook's own limit, which can't exceed the service's, both as received and inflated. */
export const maxBodyBytes = defineFeature({
  name: 'maxBodyBytes',
  schema: Type.Integer({
    minimum: 1,
    maximum: 6 * 1024 * 1024,
    description:
      'Maximum size of a body in bytes; larger ones get 413. AWS takes 6 MB of text, 4.5 MB of bytes',
    examples: [65_536],
  }),
  stages: (limitBytes) => ({
    maxBodyBytes: limitBytes,
    admit: ({ request: { rawBody } }) => {
      if (!(rawBody.byteLength <= limitBytes)) throw new AppError(BODY_TOO_LARGE, { limitBytes });
      return null;
    },
  }),
});
