import { Type } from '@hookloom/plugin-kit';
import { defineRule } from './webhook-rule.ts';

/** Has all requests recorded, not the refused ones alone. */
export const recordRequests = defineRule(
  Type.Boolean({
    description: 'Record every request, and larger ones as a whole; without it, refused requests alone',
    examples: [true],
  }),
);
