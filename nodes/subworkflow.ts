import { defineAction, NodeError, Type } from '@hookloom/plugin-kit';
import { NESTING_LIMIT } from '@hookloom/plugin-kit/host';

/**
 * Runs another workflow, from its `manualTrigger`, within this execution, its record and its limits, in the version
 * that is current then. Its output is that of the workflow's last node.
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
    'Runs another workflow, enabled and with one manualTrigger, and puts out the output of its last node',
  control: { suspends: false },
  parameters: Type.Object({
    workflowId: Type.String({ description: 'Its id' }),
    input: Type.Optional(
      Type.Object(
        {},
        {
          withoutResult: {},
          description: 'What its trigger gets; the input of this node when absent',
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
