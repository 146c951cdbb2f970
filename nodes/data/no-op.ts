import { defineAction, Type } from '@hookloom/plugin-kit';

export const noOp = defineAction({
  id: 'noOp',
  name: 'No operation',
  description:
    'Hands its input on as it is: a place where branches meet, or for a node that is still to come',
  pure: true,
  parameters: Type.Object({}),
  example: { parameters: {}, input: { id: 1 }, output: { id: 1 } },
  execute: ({ input }) => input,
});
