import { defineAction, Type } from '@hookloom/plugin-kit';

/** Its output is the given values, alone or merged over its input. */
export const set = defineAction({
  id: 'set',
  name: 'Set',
  example: {
    parameters: { values: { total: '{{ price * quantity }}' }, keepInput: true },
    input: { price: 20, quantity: 3 },
    output: { price: 20, quantity: 3, total: 60 },
  },
  description: 'Puts out the given values, alone or on top of the input',
  pure: true,
  parameters: Type.Object({
    values: Type.Object({}, { description: 'The fields to put out' }),
    keepInput: Type.Boolean({
      default: false,
      description: 'Keep the fields of the input that are not among the values',
    }),
  }),
  // A spread defines own properties, also for the key __proto__.
  execute: ({ parameters: { values, keepInput }, input }) => (keepInput ? { ...input, ...values } : values),
});
