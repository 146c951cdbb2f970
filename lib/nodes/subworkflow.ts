import type { PluginHandle } from '../contract/plugin.ts';
import { controlOf } from './control-of.ts';
import { readParameters } from './parameters.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['workflowId'],
  properties: {
    workflowId: { type: 'string', description: 'Its id' },
    input: { type: 'object', description: 'What its trigger gets; the input of this node when absent' },
  },
} as const;

/**
 * Runs another workflow, from its `manualTrigger`, within this execution, its record and its limits, in the version
 * that is current then. Its output is that of the workflow's last node.
 */
export const subworkflow: PluginHandle = {
  id: 'subworkflow',
  name: 'Subworkflow',
  example: {
    parameters: { workflowId: 'ship-order', input: { orderId: '{{ id }}' } },
    input: { id: 'A-1' },
    output: { shipped: true },
  },
  description:
    'Runs another workflow, enabled and with one manualTrigger, and puts out the output of its last node',
  kind: 'action',
  control: { suspends: false },
  schema,
  execute: async ({ parameters }, input, context) => {
    const { workflowId, input: given } = readParameters({ input, ...parameters }, schema.properties);
    const result = await controlOf(context).runWorkflow(workflowId, given);
    if ('output' in result) return result.output;
    const { nodeId, message } = result.failure;
    throw new Error(`workflow "${workflowId}" failed at the node "${nodeId}": ${message}`);
  },
};
