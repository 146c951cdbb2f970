import { Type } from '@hookloom/plugin-kit';
import { defineRule } from './webhook-rule.ts';

/** A filter. */
export const onlyIf = defineRule(
  Type.String({
    minLength: 1,
    maxLength: 10_000,
    description:
      'An expression over the request, without braces: when it is false, the answer is 200 with { "skipped": true }, and nothing is started',
    examples: ["body.action = 'opened'"],
  }),
  { expressions: [''] },
);
