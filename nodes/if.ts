import { defineAction, emit } from '@hookloom/plugin-kit';
import { conditionParameters } from './condition.ts';

/** Delivers its input on one of two outputs. The condition must be a boolean, so that the text "false" is no `true`. */
export const ifNode = defineAction({
  id: 'if',
  name: 'If',
  example: {
    parameters: { condition: '{{ total > 100 }}' },
    input: { total: 120 },
    output: { total: 120 },
  },
  description: 'Hands the input on to the output "true" or "false"',
  pure: true,
  outputs: ['true', 'false'],
  parameters: conditionParameters,
  execute: ({ parameters, input }) => (parameters.condition ? emit({ true: input }) : emit({ false: input })),
});
