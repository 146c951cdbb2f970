import { defineAction, Type } from '@hookloom/plugin-kit';

/** Joins branches. Its input is merged by the engine already; the other modes use the separate inputs. */
export const merge = defineAction({
  id: 'merge',
  name: 'Merge',
  example: {
    parameters: { mode: 'append' },
    input: { name: 'Ada' },
    output: { items: [{ name: 'Ada' }] },
  },
  description: 'Joins what several branches deliver',
  pure: true,
  parameters: Type.Object({
    mode: Type.Enum(['merge', 'append', 'byNode'], {
      type: 'string',
      default: 'merge',
      description:
        'merge: one map, later connections win; append: { items: [...] }; byNode: { [nodeId]: ... }',
    }),
  }),
  execute: ({ parameters: { mode }, input, context: { inputs } }) => {
    switch (mode) {
      case 'merge':
        return input;
      case 'append':
        return { items: inputs.map(({ data }) => data) };
      case 'byNode':
        return Object.fromEntries(inputs.map(({ sourceNodeId, data }) => [sourceNodeId, data]));
    }
  },
});
