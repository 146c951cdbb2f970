import type { PluginHandle } from '../contract/plugin.ts';
import { readParameters } from './parameters.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mode: {
      type: 'string',
      enum: ['merge', 'append', 'byNode'],
      default: 'merge',
      description:
        'merge: one map, later connections win; append: { items: [...] }; byNode: { [nodeId]: ... }',
    },
  },
} as const;

/** Joins branches. Its input is merged by the engine already; the other modes use the separate inputs. */
export const merge: PluginHandle = {
  id: 'merge',
  name: 'Merge',
  example: {
    parameters: { mode: 'append' },
    input: { name: 'Ada' },
    output: { items: [{ name: 'Ada' }] },
  },
  description: 'Joins what several branches deliver',
  kind: 'action',
  pure: true,
  schema,
  execute: ({ parameters }, input, { inputs }) => {
    switch (readParameters(parameters, schema.properties).mode) {
      case 'merge':
        return input;
      case 'append':
        return { items: inputs.map(({ data }) => data) };
      case 'byNode':
        return Object.fromEntries(inputs.map(({ sourceNodeId, data }) => [sourceNodeId, data]));
    }
  },
};
