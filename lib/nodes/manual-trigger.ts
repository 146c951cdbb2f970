import type { TriggerProvider } from '../contract/legacy-plugin.ts';
import type { NodeExecutor } from '../contract/node.ts';

/** Its output is the input of the execution. */
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
  description: 'Starts the workflow when another one runs it, with the data that it gives',
  category: 'trigger',
  version: '1.0.0',
  firedBy: 'subworkflow',
  properties: [],
  getExecutor: () => executor,
};

export default manualTrigger;
