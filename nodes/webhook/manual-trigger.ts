import { definePlugin, type PluginHandle, Type } from '@hookloom/plugin-kit';

/** Its output is the input of the execution. */
export const manualTrigger: PluginHandle = {
  id: 'manualTrigger',
  name: 'Manual trigger',
  description: 'Starts the workflow by hand, or when another workflow runs it, with the given data',
  kind: 'trigger',
  firedBy: 'subworkflow',
  outputs: { main: Type.Object({ triggeredAt: Type.String(), triggerType: Type.String() }) },
  schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  example: {
    parameters: {},
    input: { orderId: 'A-1' },
    output: { triggeredAt: '2026-01-01T00:00:00.000Z', triggerType: 'manual', orderId: 'A-1' },
  },
  execute: (_node, input, { services }) => ({
    triggeredAt: new Date(services.clock.now()).toISOString(),
    triggerType: 'manual',
    ...input,
  }),
};

const { id, name, description } = manualTrigger;

export default definePlugin({
  id,
  name,
  version: '1.0.0',
  description,
  category: 'trigger',
  handles: [manualTrigger],
});
