import { defineAction, type InnerResult, MAIN_OUTPUT, Type } from '@hookloom/plugin-kit';

/**
 * Runs its body, the nodes behind `each`, once per item, each with its own checkpoints. Its output lists the output of
 * each body's last node, in the order of the items. A failed item does not stop the others.
 */
export const forEach = defineAction({
  id: 'forEach',
  name: 'For each',
  example: {
    parameters: { items: '{{ orders }}', maxConcurrency: 5, onItemFailure: 'continue' },
    input: { orders: [{ id: 'A-1' }, { id: 'A-2' }] },
    output: {
      results: [{ shipped: true }, null],
      failures: [{ index: 1, nodeId: 'ship', name: 'Error', message: 'out of stock' }],
    },
  },
  description: 'Runs the nodes behind its output "each" for every item of a list, some side by side',
  outputs: ['each', MAIN_OUTPUT],
  control: { suspends: false, bodyOutput: 'each', needsBody: true },
  parameters: Type.Object({
    items: Type.Array(Type.Unknown(), { description: 'The list; usually an expression' }),
    maxConcurrency: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 1,
      description: 'How many items are worked on at once',
    }),
    onItemFailure: Type.Enum(['fail', 'continue'], {
      default: 'fail',
      description: 'continue: a failed item gives null, and stands among the failures',
    }),
  }),
  execute: async ({ parameters: { items, maxConcurrency, onItemFailure }, control }) => {
    const results = await control.runBodies(
      items.map((item, index) => ({ item, index })),
      maxConcurrency,
    );
    const failures = results.flatMap((result, index) =>
      'failure' in result ? [{ index, ...result.failure }] : [],
    );
    const [first] = failures;
    if (first !== undefined && onItemFailure === 'fail') {
      const others = failures.length === 1 ? '' : `, and ${failures.length - 1} more`;
      throw new Error(`item ${first.index} failed at the node "${first.nodeId}"${others}: ${first.message}`);
    }
    return { results: results.map(toOutput), failures };
  },
});

const toOutput = (result: InnerResult) => ('output' in result ? result.output : null);
