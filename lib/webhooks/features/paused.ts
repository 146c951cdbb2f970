import { Type } from '@hookloom/plugin-kit';
import { WEBHOOK_PAUSED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { problemsWhere } from '../../workflows/definition/problem.ts';
import { defineFeature } from '../webhook-feature.ts';

/** Refuses all requests, or stores those that pass all checks until the webhook is resumed. */
export const paused = defineFeature({
  name: 'paused',
  schema: Type.Union([Type.Boolean(), Type.Literal('store')], {
    description:
      'true: answer 503 with Retry-After, so that senders retry later, and start nothing; store: accept requests, and run them once the webhook is no longer paused',
    examples: [true, 'store'],
  }),
  check: (value, { parameters: { responseMode = 'onReceived' } }) =>
    problemsWhere([
      value === 'store' && responseMode !== 'onReceived',
      '',
      'must be true when the caller waits for the run',
    ]),
  stages: (value) =>
    value === 'store'
      ? { start: async () => ({ reason: 'paused' }) }
      : {
          admit: () => {
            throw new AppError(WEBHOOK_PAUSED, {});
          },
        },
});
