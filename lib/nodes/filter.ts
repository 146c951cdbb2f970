import { emit } from '../contract/node.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { conditionSchema } from './condition.ts';
import { readParameters } from './parameters.ts';

/** Delivers its input when the condition is true, else nothing: the branch behind it is skipped. As strict as `if`. */
export const filter: PluginHandle = {
  id: 'filter',
  name: 'Filter',
  example: {
    parameters: { condition: '{{ total > 100 }}' },
    input: { total: 120 },
    output: { total: 120 },
  },
  description: 'Hands the input on when the condition is true, and ends the branch otherwise',
  kind: 'action',
  pure: true,
  endsBranch: true,
  schema: conditionSchema,
  execute: ({ parameters }, input) =>
    readParameters(parameters, conditionSchema.properties).condition ? input : emit({}),
};
