import { Type } from '@hookloom/plugin-kit';
import { defineRule } from './webhook-rule.ts';

export const lastNodeAnswer = defineRule(
  Type.Enum(['output', 'all', 'firstItem', 'file'], {
    description:
      'The answer with lastNode: the output of the last node, the outputs of all end nodes by their ids, the first entry of the list items in the output, or the bytes of the file in it',
    examples: ['all', 'firstItem', 'file'],
  }),
);

/** The gateway gives up after 30 seconds. */
export const timeoutSeconds = defineRule(
  Type.Integer({
    minimum: 1,
    maximum: 25,
    description: 'How long the caller waits for the result, with lastNode and responseNode',
    examples: [10],
  }),
);

export const onTimeout = defineRule(
  Type.Enum(['fail', 'continue'], {
    description:
      'When the result is not there in time: end the run and answer 504, or answer 202 with the id of the execution, which goes on in the background',
    examples: ['continue'],
  }),
);

export const continueAfterResponse = defineRule(
  Type.Boolean({
    description:
      'Answer as soon as a respondToWebhook node has run; the rest of the workflow goes on in the background',
    examples: [true],
  }),
);
