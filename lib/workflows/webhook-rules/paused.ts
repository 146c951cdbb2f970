import { Type } from '../../contract/kit/type.ts';
import { defineRule } from './webhook-rule.ts';

/** Starts nothing for a while. */
export const paused = defineRule(
  Type.Boolean({
    description: 'Answer 503 with Retry-After, so that senders try again later; nothing is started',
    examples: [true],
  }),
);
