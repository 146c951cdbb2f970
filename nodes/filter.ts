import { defineAction, emit } from '@hookloom/plugin-kit';
import { conditionParameters } from './condition.ts';

/** Delivers its input when the condition is true, else nothing: the branch behind it is skipped. As strict as `if`. */
export const filter = defineAction({
  id: 'filter',
  name: 'Filter',
  example: {
    parameters: { condition: '{{ total > 100 }}' },
    input: { total: 120 },
    output: { total: 120 },
  },
  description: 'Hands the input on when the condition is true, and ends the branch otherwise',
  pure: true,
  endsBranch: true,
  parameters: conditionParameters,
  execute: ({ parameters, input }) => (parameters.condition ? input : emit({})),
});
