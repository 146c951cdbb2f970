import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { TriggerProvider } from '../contract/legacy-plugin.ts';
import type { NodeExecutor } from '../contract/node.ts';

const sampleRequest: JsonObject = {
  triggeredAt: '2026-01-01T00:00:00.000Z',
  body: { ping: true },
  headers: {},
  queryParams: {},
  requestMethod: 'POST',
  requestPath: '/webhook',
  remoteAddress: '192.0.2.1',
};

/** Its output is the request, with defaults for what is missing, as in a manual run; `pathParams` has none. */
const executor: NodeExecutor = {
  getNodeType: () => 'webhookTrigger',
  execute: ({ parameters }, request, { services }) => ({
    triggeredAt: request.triggeredAt ?? new Date(services.clock.now()).toISOString(),
    triggerType: 'webhook',
    body: request.body === undefined ? {} : request.body, // null is a valid body
    headers: request.headers ?? {},
    queryParams: request.queryParams ?? {},
    requestMethod: request.requestMethod ?? parameters.method ?? first(parameters.methods) ?? 'POST',
    requestPath: request.requestPath ?? parameters.path ?? '/webhook',
    remoteAddress: request.remoteAddress ?? 'unknown',
    ...(request.pathParams === undefined ? {} : { pathParams: request.pathParams }),
  }),
};

const first = (value: JsonValue | undefined) => (Array.isArray(value) ? value[0] : undefined);

const outputKeys = ['triggerType', ...Object.keys(sampleRequest)].sort().join();

const webhookTrigger: TriggerProvider = {
  nodeType: 'webhookTrigger',
  displayName: 'Webhook trigger',
  description: 'Starts the workflow when an HTTP request arrives at its address',
  category: 'trigger',
  version: '1.0.0',
  example: { parameters: { responseMode: 'lastNode' }, output: { triggerType: 'webhook', ...sampleRequest } },
  firedBy: 'request',
  literalParameters: ['answer', 'handshake'], // templates over the request, not for the trigger's own run
  credentialTypes: ['apiKey', 'basic'],
  properties: [
    {
      name: 'path',
      displayName: 'Path',
      type: 'string',
      default: '/webhook',
      description: 'Below /api/webhook/{workflowId}, such as /orders, /users/:id or /files/*rest',
    },
    {
      name: 'method',
      displayName: 'Method',
      type: 'options',
      options: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
      default: 'POST',
      description: 'Requests by another method get 405',
    },
    {
      name: 'methods',
      displayName: 'Methods',
      type: 'array',
      description: 'Several, instead of method',
    },
    {
      name: 'authentication',
      displayName: 'Authentication',
      type: 'options',
      options: ['none', 'apiKey', 'basic'],
      default: 'none',
      description: "With apiKey or basic, the node's credentialId names the credential",
    },
    {
      name: 'responseMode',
      displayName: 'Response mode',
      type: 'options',
      options: ['onReceived', 'lastNode', 'responseNode'],
      default: 'onReceived',
      description:
        'Answer at once, with the output of the last node, or with what a respondToWebhook node says',
    },
    {
      name: 'deduplication',
      displayName: 'Deduplication',
      type: 'string',
      description:
        'What names a delivery that is sent again, unless it has an Idempotency-Key header: github, stripe, slack, shopify, standardWebhooks, or an expression over the request such as body.id',
    },
    {
      name: 'allowFrom',
      displayName: 'Allow from',
      type: 'array',
      description: 'Networks of the callers that are let in',
    },
    {
      name: 'signature',
      displayName: 'Signature',
      type: 'object',
      description: 'How the sender signs its requests',
    },
    {
      name: 'handshake',
      displayName: 'Handshake',
      type: 'object',
      description: "The sender's test of the address",
    },
    {
      name: 'cors',
      displayName: 'CORS',
      type: 'object',
      description: 'Pages whose scripts may call',
    },
    {
      name: 'answer',
      displayName: 'Answer',
      type: 'object',
      description: 'The answer of onReceived',
    },
    {
      name: 'lastNodeAnswer',
      displayName: 'Last node answer',
      type: 'options',
      options: ['output', 'all', 'firstItem', 'file'],
      description: 'The answer of lastNode',
    },
    {
      name: 'timeoutSeconds',
      displayName: 'Timeout',
      type: 'number',
      description: 'How long the caller waits',
    },
    {
      name: 'onTimeout',
      displayName: 'On timeout',
      type: 'options',
      options: ['fail', 'continue'],
      description: 'Answer 504, or 202 and go on',
    },
    {
      name: 'continueAfterResponse',
      displayName: 'Continue after response',
      type: 'boolean',
      description: 'Go on after respondToWebhook',
    },
    { name: 'paused', displayName: 'Paused', type: 'boolean', description: 'Answer 503 and start nothing' },
    {
      name: 'maxBodyBytes',
      displayName: 'Max body bytes',
      type: 'number',
      description: 'Larger bodies get 413',
    },
    {
      name: 'rateLimit',
      displayName: 'Rate limit',
      type: 'object',
      description: 'Above it, requests get 429',
    },
    { name: 'schema', displayName: 'Schema', type: 'object', description: 'JSON Schema of the body' },
    { name: 'onlyIf', displayName: 'Only if', type: 'string', description: 'Start nothing when it is false' },
    {
      name: 'concurrency',
      displayName: 'Concurrency',
      type: 'object',
      description: 'Bounds the runs at once',
    },
    {
      name: 'recordRequests',
      displayName: 'Record requests',
      type: 'boolean',
      description: 'Not the refused ones alone',
    },
  ],
  getExecutor: () => executor,
  healthCheck: async ({ clock }) => {
    const node = { id: 'check', type: 'webhookTrigger', parameters: {} };
    // The executor uses only these parts of its context.
    const context = { services: { clock } } as Parameters<NodeExecutor['execute']>[2];
    const output = (await executor.execute(node, sampleRequest, context)) as Record<string, JsonValue>;
    const keys = Object.keys(output).sort().join();
    return keys === outputKeys
      ? { status: 'healthy' }
      : { status: 'unhealthy', message: `a sample request gave the keys ${keys}` };
  },
};

export default webhookTrigger;
