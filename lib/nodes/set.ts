import type { PluginHandle } from '../contract/plugin.ts';
import { readParameters } from './parameters.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['values'],
  properties: {
    values: { type: 'object', description: 'The fields to put out' },
    keepInput: {
      type: 'boolean',
      default: false,
      description: 'Keep the fields of the input that are not among the values',
    },
  },
} as const;

/** Its output is the given values, alone or merged over its input. */
export const set: PluginHandle = {
  id: 'set',
  name: 'Set',
  example: {
    parameters: { values: { total: '{{ price * quantity }}' }, keepInput: true },
    input: { price: 20, quantity: 3 },
    output: { price: 20, quantity: 3, total: 60 },
  },
  description: 'Puts out the given values, alone or on top of the input',
  kind: 'action',
  pure: true,
  schema,
  execute: ({ parameters }, input) => {
    const { values, keepInput } = readParameters(parameters, schema.properties);
    // A spread defines own properties, also for the key __proto__.
    return keepInput ? { ...input, ...values } : values;
  },
};
