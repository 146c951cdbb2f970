import { Type } from '@hookloom/plugin-kit';
import { defineFeature } from '../../webhook-feature.ts';

/** Starts nothing for requests for which an expression is false. A failing expression refuses the request. */
export const onlyIf = defineFeature({
  name: 'onlyIf',
  schema: Type.String({
    minLength: 1,
    maxLength: 10_000,
    description:
      'An expression over the request, without braces: when it is false, the answer is 200 with { "skipped": true }, and nothing is started',
    examples: ["body.action = 'opened'"],
  }),
  expressions: [''],
  stages: async (rule) => (await import('./only-if-stages.ts')).skipUnless(rule),
});
