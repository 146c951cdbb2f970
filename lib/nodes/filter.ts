import { emit } from '../contract/node.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import { conditionSchema } from './condition.ts';
import { readBoolean } from './parameters.ts';

/** Hands the input on, or nothing: the branch behind it is then skipped. The condition is as strict as that of `if`. */
export const filter: PluginHandle = {
  id: 'filter',
  name: 'Filter',
  description: 'Hands the input on when the condition is true, and ends the branch otherwise',
  kind: 'action',
  pure: true,
  endsBranch: true,
  schema: conditionSchema,
  execute: ({ parameters }, input) => (readBoolean(parameters, 'condition') ? input : emit({})),
};
