import { Type } from '@hookloom/plugin-kit';
import { defineRule } from './webhook-rule.ts';

/** What a known key with another body is: a mistake of the sender, or the same business again. */
export const onKeyReuse = defineRule(
  Type.Enum(['refuse', 'duplicate'], {
    description:
      'A request with the key of an earlier one and another body: 422, or the answer to the earlier one; for keys of the business, such as an e-mail address. refuse when absent',
    examples: ['duplicate'],
  }),
  {
    findProblems: (_value, { parameters: { deduplication = '' } }) =>
      deduplication === '' || deduplication === null
        ? [{ path: '', message: 'needs deduplication: the expression for the key' }]
        : [],
  },
);
