import { emit } from '../contract/node.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { conditionSchema } from './condition.ts';
import { readBoolean } from './parameters.ts';

/**
 * Hands the input on to one of two branches. Only `true` and `false` decide: what counts as true elsewhere (a text
 * "false", a number) is an error, so that nothing takes the wrong branch unnoticed.
 */
export const ifNode: PluginHandle = {
  id: 'if',
  name: 'If',
  description: 'Hands the input on to the output "true" or "false"',
  kind: 'action',
  pure: true,
  outputs: ['true', 'false'],
  schema: conditionSchema,
  execute: ({ parameters }, input) =>
    readBoolean(parameters, 'condition') ? emit({ true: input }) : emit({ false: input }),
};
