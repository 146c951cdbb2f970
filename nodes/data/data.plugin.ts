import { defineAction, definePlugin, NodeError, Type } from '@hookloom/plugin-kit';
import { compareLists } from './compare-lists.ts';
import { pick, renameKeys } from './fields.ts';
import { aggregate, batch, limit, removeDuplicates, sort, splitOut } from './lists.ts';
import { summarize } from './summarize.ts';

export const stopAndError = defineAction({
  id: 'stopAndError',
  name: 'Stop and error',
  description: 'Fails with a message, which ends the execution as failed',
  pure: true,
  outputs: [],
  parameters: Type.Object({
    message: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Shown to operators and in the record, so it must not contain secrets',
    }),
    name: Type.String({
      default: 'StoppedByWorkflow',
      pattern: '^[A-Za-z][A-Za-z0-9]{0,63}$',
      description: 'The name of the error, to tell failures apart',
    }),
    details: Type.Record(Type.String(), Type.Unknown(), {
      default: {},
      description: 'Data for the output "error" and the record, at most 32 kB',
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

/** Nodes that reshape lists and maps; all are pure. */
export default definePlugin({
  id: 'data',
  name: 'Data',
  version: '1.0.0',
  description: 'Sorts, groups, splits and compares lists, and reshapes maps',
  category: 'data',
  handles: [
    sort,
    limit,
    removeDuplicates,
    aggregate,
    summarize,
    splitOut,
    batch,
    pick,
    renameKeys,
    compareLists,
    stopAndError,
  ],
});
