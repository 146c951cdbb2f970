import type { NodeExecutor, TriggerProvider } from '@hookloom/plugin-kit';

/** Executes a manual trigger: its output is the input of the execution. */
const executor: NodeExecutor = {
  getNodeType: () => 'manualTrigger',
  execute: (_node, input, { services }) => ({
    triggeredAt: new Date(services.clock.now()).toISOString(),
    triggerType: 'manual',
    ...input,
  }),
};

const manualTrigger: TriggerProvider = {
  nodeType: 'manualTrigger',
  displayName: 'Manual trigger',
  description: 'Starts the workflow by hand, or when another workflow runs it, with the given data',
  category: 'trigger',
  version: '1.0.0',
  example: {
    parameters: {},
    input: { orderId: 'A-1' },
    output: { triggeredAt: '2026-01-01T00:00:00.000Z', triggerType: 'manual', orderId: 'A-1' },
  },
  firedBy: 'subworkflow',
  properties: [],
  getExecutor: () => executor,
};

export default manualTrigger;
