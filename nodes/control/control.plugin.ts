import {
  closed,
  defineAction,
  definePlugin,
  type InnerResult,
  MAIN_OUTPUT,
  NodeError,
  orNull,
  Type,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';
import { NESTING_LIMIT } from '@hookloom/plugin-kit/host';
import { approval, wait } from './approval.ts';

const itemFailure = closed({
  index: Type.Integer(),
  nodeId: Type.String(),
  name: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Unknown()),
});

/**
 * Runs its body, the nodes that follow `each`, once per item, each run with its own checkpoints. Its output lists the
 * outputs of the bodies' last nodes, in the order of the items. A failed item does not stop the others.
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
  description:
    'Runs the nodes that follow its output "each" for every item of a list, several at a time if you like',
  outputs: {
    each: closed({ item: Given.itemOf('items'), index: Type.Integer() }),
    [MAIN_OUTPUT]: closed({
      results: Type.Array(
        Given.by('onItemFailure', { fail: Given.body, continue: orNull(Given.body) }, 'fail'),
      ),
      failures: Type.Array(itemFailure),
    }),
  },
  control: { suspends: false, bodyOutput: 'each', needsBody: true },
  parameters: Type.Object({
    items: Type.Array(Type.Unknown(), { constant: 'warn', description: 'The list; usually an expression' }),
    maxConcurrency: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 1,
      description: 'How many items are processed at the same time',
    }),
    onItemFailure: Type.Enum(['fail', 'continue'], {
      default: 'fail',
      description: 'continue: a failed item results in null and is listed among the failures',
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

/**
 * Runs the current version of another workflow from its `manualTrigger`, as part of this execution, its record and its
 * limits. Its output is the output of that workflow's last node.
 */
export const subworkflow = defineAction({
  id: 'subworkflow',
  name: 'Subworkflow',
  example: {
    parameters: { workflowId: 'ship-order', input: { orderId: '{{ id }}' } },
    input: { id: 'A-1' },
    output: { shipped: true },
  },
  description:
    'Runs another workflow and outputs the output of its last node. That workflow must be enabled and have one manualTrigger',
  outputs: { main: Type.Object({}) },
  control: { suspends: false },
  parameters: Type.Object({
    workflowId: Type.String({ holes: 'fail', description: 'Its id' }),
    input: Type.Optional(
      Type.Object(
        {},
        {
          withoutResult: {},
          description: 'The input of its trigger; the input of this node by default',
        },
      ),
    ),
  }),
  execute: async ({ parameters, input, control }) => {
    const { workflowId } = parameters;
    const result = await control.runWorkflow(workflowId, parameters.input ?? input);
    if ('output' in result) return result.output;
    const { nodeId, name, message } = result.failure;
    if (name === NESTING_LIMIT) throw new NodeError(message, { name, isRetryable: false });
    throw new Error(`workflow "${workflowId}" failed at the node "${nodeId}": ${message}`);
  },
});

/** The plugin for control nodes, which steer their run. */
export default definePlugin({
  id: 'control',
  name: 'Control',
  version: '1.0.0',
  description: 'Waits, asks for approval, runs nodes for each item of a list, and runs other workflows',
  category: 'control',
  handles: [wait, approval, forEach, subworkflow],
});
