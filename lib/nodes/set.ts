import type { PluginHandle } from '../contract/plugin.ts';
import { readBoolean, readMap } from './parameters.ts';

/** Puts out the given values: alone, or over the node's input. */
export const set: PluginHandle = {
  id: 'set',
  name: 'Set',
  description: 'Puts out the given values, alone or on top of the input',
  kind: 'action',
  pure: true,
  schema: {
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
  },
  execute: ({ parameters }, input) => {
    const values = readMap(parameters, 'values');
    // A spread defines properties, so that a key named __proto__ stays a key.
    return readBoolean(parameters, 'keepInput', false) ? { ...input, ...values } : values;
  },
};
