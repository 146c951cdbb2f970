import { emit } from '../contract/node.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { conditionSchema } from './condition.ts';
import { readParameters } from './parameters.ts';

/** Delivers its input on one of two outputs. The condition must be a boolean, so that the text "false" is no `true`. */
export const ifNode: PluginHandle = {
  id: 'if',
  name: 'If',
  example: {
    parameters: { condition: '{{ total > 100 }}' },
    input: { total: 120 },
    output: { total: 120 },
  },
  description: 'Hands the input on to the output "true" or "false"',
  kind: 'action',
  pure: true,
  outputs: ['true', 'false'],
  schema: conditionSchema,
  execute: ({ parameters }, input) =>
    readParameters(parameters, conditionSchema.properties).condition
      ? emit({ true: input })
      : emit({ false: input }),
};
