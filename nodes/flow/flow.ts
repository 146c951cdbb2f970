import { definePlugin, Emission, type NodeContext, type PluginHandle } from '@hookloom/plugin-kit';
import { respondToWebhook } from '../webhook/respond-to-webhook.ts';
import { filter, ifNode, merge, set, switchNode } from './flow-nodes.ts';

/** The health check of each handle: parameters, and the output on which the node must deliver its input. */
const probes: readonly [PluginHandle, Record<string, never> | object, string][] = [
  [set, { values: {}, keepInput: true }, 'main'],
  [ifNode, { condition: false }, 'false'],
  [switchNode, { value: 1, cases: [{ equals: 1, output: 'one' }] }, 'one'],
  [merge, {}, 'main'],
  [filter, { condition: true }, 'main'],
  [respondToWebhook, {}, 'main'],
];

/** Nodes that route data through a workflow; all are pure. */
const flow = definePlugin({
  id: 'flow',
  name: 'Flow',
  version: '1.0.0',
  description: 'Sets, routes, joins and answers: the nodes that direct data through a workflow',
  category: 'flow',
  handles: [set, ifNode, switchNode, merge, filter, respondToWebhook],
  healthCheck: async () => {
    const input = { probe: 1 };
    // Pure handles use only the inputs of their context.
    const context = { inputs: [] as const } as Partial<NodeContext> as NodeContext;
    for (const [handle, parameters, output] of probes) {
      const node = { id: 'check', type: handle.id, parameters: { ...parameters } };
      const result = await handle.execute(node, input, context);
      const outputs: Record<string, unknown> = result instanceof Emission ? result.outputs : { main: result };
      if (JSON.stringify(outputs[output]) !== JSON.stringify(input)) {
        return { status: 'unhealthy', message: `${handle.id} did not deliver its input on "${output}"` };
      }
    }
    return { status: 'healthy' };
  },
});

export default flow;
