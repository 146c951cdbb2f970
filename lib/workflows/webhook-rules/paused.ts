import { Type } from '@hookloom/plugin-kit';
import { defineRule } from './webhook-rule.ts';

/** Starts nothing for a while. */
export const paused = defineRule(
  Type.Union([Type.Boolean(), Type.Literal('store')], {
    description:
      'true: answer 503 with Retry-After, so that senders try again later, and start nothing; store: accept requests, and run them when the webhook is not paused any more',
    examples: [true, 'store'],
  }),
  {
    findProblems: (value, { parameters: { responseMode = 'onReceived' } }) =>
      value === 'store' && responseMode !== 'onReceived'
        ? [{ path: '', message: 'must be true where the caller waits for the run' }]
        : [],
  },
);
