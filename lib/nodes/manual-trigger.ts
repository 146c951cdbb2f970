import type { TriggerProvider } from '../contract/legacy-plugin.ts';
import type { NodeExecutor } from '../contract/node.ts';

/** Puts out what it was started with. */
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
  description: 'Starts the workflow by hand, with the data that is given',
  category: 'trigger',
  version: '1.0.0',
  properties: [],
  getExecutor: () => executor,
};

export default manualTrigger;
