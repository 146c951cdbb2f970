import { defineAction, Type } from '@hookloom/plugin-kit';

/** The node type `set`. Its output is the given values, either alone or merged into its input. */
export const set = defineAction({
  id: 'set',
  name: 'Set',
  example: {
    parameters: { values: { total: '{{ price * quantity }}' }, keepInput: true },
    input: { price: 20, quantity: 3 },
    output: { price: 20, quantity: 3, total: 60 },
  },
  description: 'Outputs the given values, alone or merged into the input',
  pure: true,
  parameters: Type.Object({
    values: Type.Object({}, { description: 'The output fields' }),
    keepInput: Type.Boolean({
      default: false,
      description: 'Keep the fields of the input that are not among the values',
    }),
  }),
  // A spread defines own properties, also for the key __proto__.
  execute: ({ parameters: { values, keepInput }, input }) => (keepInput ? { ...input, ...values } : values),
});

/** Joins branches. The engine has already merged its input; the other modes use the separate inputs. */
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
