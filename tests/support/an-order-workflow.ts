import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';

/**
 * A valid workflow with one of everything that an author gets wrong: branches, a node that calls out, one with a dash
 * in its id, a loop with an exit, an answer. A test spoils what it is about.
 */
export const anOrderWorkflow = (): WorkflowDefinition => ({
  id: 'orders',
  name: 'Orders',
  enabled: true,
  nodes: [
    {
      id: 'request',
      type: 'webhookTrigger',
      parameters: { path: '/orders', responseMode: 'responseNode', authentication: 'apiKey' },
      credentialId: 'orders-key',
    },
    {
      id: 'pick',
      type: 'set',
      parameters: { values: { total: '{{ body.total }}', who: 'Ada {{ body.name }}' } },
    },
    { id: 'big', type: 'if', parameters: { condition: '{{ total > 100 }}' } },
    {
      id: 'call-shop',
      type: 'httpRequest',
      parameters: {
        url: 'https://shop.example/orders',
        method: 'POST',
        body: { total: '{{ $nodes.pick.total }}' },
      },
      settings: { onError: 'route', retry: { maxAttempts: 3 } },
    },
    { id: 'done', type: 'if', parameters: { condition: '{{ body.state = "done" }}' } },
    { id: 'pause', type: 'wait', parameters: { seconds: 5 } },
    { id: 'reply', type: 'respondToWebhook', parameters: { body: '{{ $nodes.`call-shop`.body }}' } },
    { id: 'small', type: 'respondToWebhook', parameters: { status: 201 } },
    { id: 'broken', type: 'respondToWebhook', parameters: { status: 502, body: '{{ error.message }}' } },
  ],
  connections: [
    { sourceNodeId: 'request', targetNodeId: 'pick' },
    { sourceNodeId: 'pick', targetNodeId: 'big' },
    { sourceNodeId: 'big', sourceOutput: 'true', targetNodeId: 'call-shop' },
    { sourceNodeId: 'big', sourceOutput: 'false', targetNodeId: 'small' },
    { sourceNodeId: 'call-shop', targetNodeId: 'done' },
    { sourceNodeId: 'call-shop', sourceOutput: 'error', targetNodeId: 'broken' },
    { sourceNodeId: 'done', sourceOutput: 'true', targetNodeId: 'reply' },
    { sourceNodeId: 'done', sourceOutput: 'false', targetNodeId: 'pause' },
    { sourceNodeId: 'pause', targetNodeId: 'call-shop' },
  ],
});
