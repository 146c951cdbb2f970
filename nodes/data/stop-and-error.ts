import { defineAction, NodeError, Type } from '@hookloom/plugin-kit';

export const stopAndError = defineAction({
  id: 'stopAndError',
  name: 'Stop and error',
  description: 'Fails with a message, and so ends the execution as failed',
  pure: true,
  outputs: [],
  parameters: Type.Object({
    message: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Shown to operators and in the record, so without secrets',
    }),
    name: Type.String({
      default: 'StoppedByWorkflow',
      pattern: '^[A-Za-z][A-Za-z0-9]{0,63}$',
      description: 'The name of the error, by which failures can be told apart',
    }),
    details: Type.Record(Type.String(), Type.Unknown(), {
      default: {},
      description: 'Data on the output "error" and in the record, at most 32 kB',
    }),
  }),
  example: {
    parameters: { message: 'The order {{ id }} has no lines', name: 'EmptyOrder' },
    input: { id: 7 },
  },
  execute: ({ parameters: { message, name, details } }) => {
    throw new NodeError(message, { name, isRetryable: false, details });
  },
});
