import type { WorkflowNode } from '@hookloom/plugin-kit';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';

/** A valid workflow: a webhook that answers with what a `set` node makes. A test spoils what it is about. */
export const aWorkflow = (changes: Partial<WorkflowDefinition> = {}): WorkflowDefinition => ({
  id: 'greeting',
  name: 'Greeting',
  enabled: true,
  nodes: [
    aTrigger(),
    { id: 'greet', type: 'set', parameters: { values: { greeting: 'Hello, {{ body.name }}' } } },
  ],
  connections: [{ sourceNodeId: 'request', targetNodeId: 'greet' }],
  ...changes,
});

/** Its trigger, with parameters of the test's own. */
export const aTrigger = (
  parameters: WorkflowNode['parameters'] = { responseMode: 'lastNode' },
  changes: Partial<WorkflowNode> = {},
): WorkflowNode => ({ id: 'request', type: 'webhookTrigger', parameters, ...changes });
