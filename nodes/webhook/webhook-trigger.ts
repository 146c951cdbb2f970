import type {
  JsonObject,
  JsonValue,
  LegacyProperty,
  NodeExecutor,
  TriggerProvider,
} from '@hookloom/plugin-kit';

const sampleRequest: JsonObject = {
  triggeredAt: '2026-01-01T00:00:00.000Z',
  body: { ping: true },
  headers: {},
  queryParams: {},
  requestMethod: 'POST',
  requestPath: '/webhook',
  remoteAddress: '192.0.2.1',
};

/**
 * Executes a webhook trigger: its output is the request, with defaults for what is missing in a manual run;
 * `pathParams` and `rawBody` have no default.
 */
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
    ...(request.rawBody === undefined ? {} : { rawBody: request.rawBody }),
  }),
};

const first = (value: JsonValue | undefined) => (Array.isArray(value) ? value[0] : undefined);

const outputKeys = ['triggerType', ...Object.keys(sampleRequest)].sort().join();

type Row = readonly [
  name: string,
  type: LegacyProperty['type'],
  description: string,
  options?: readonly string[],
];

/** Parameters that are off if absent. Written as rows, since every webhook's bundle contains them. */
const features: readonly Row[] = [
  ['allowFrom', 'array', 'Networks whose callers are allowed'],
  ['signature', 'object', 'How the sender signs its requests'],
  ['handshake', 'object', "The sender's test of the URL"],
  ['cors', 'object', 'Sites whose scripts may call it'],
  ['answer', 'object', 'The answer of onReceived'],
  ['lastNodeAnswer', 'options', 'The answer of lastNode', ['output', 'all', 'firstItem', 'file']],
  ['timeoutSeconds', 'number', 'How long the caller waits'],
  ['onTimeout', 'options', 'Answer 504, or 202 and continue', ['fail', 'continue']],
  ['recordRequests', 'boolean', 'Record all requests, not only refused ones'],
  ['continueAfterResponse', 'boolean', 'Continue after respondToWebhook'],
  ['body', 'object', 'How bodies are parsed'],
  ['bigNumbers', 'options', 'Integers beyond 2^53 in JSON', ['string', 'refuse']],
  ['paused', 'any', 'Answer 503, or store requests'],
  ['maxBodyBytes', 'number', 'Larger bodies get 413'],
  ['rateLimit', 'object', 'Requests above it get 429'],
  ['form', 'boolean', 'Show a page with a form for GET'],
  ['schema', 'object', 'JSON Schema of the body'],
  ['onlyIf', 'string', 'Start nothing if it is false'],
  ['onKeyReuse', 'options', 'Another body under a known key', ['refuse', 'duplicate']],
  ['concurrency', 'object', 'Limits concurrent runs'],
  ['upload', 'object', 'Direct file uploads'],
];

const toProperty = ([name, type, description, options]: Row): LegacyProperty => ({
  name,
  displayName: toDisplayName(name),
  type,
  description,
  ...(options === undefined ? {} : { options }),
});

/** Returns the display name of a parameter: `Rate limit` for `rateLimit`. */
const toDisplayName = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)}`;

const webhookTrigger: TriggerProvider = {
  nodeType: 'webhookTrigger',
  displayName: 'Webhook trigger',
  description: 'Starts the workflow when an HTTP request arrives at its URL',
  category: 'trigger',
  version: '1.0.0',
  example: { parameters: { responseMode: 'lastNode' }, output: { triggerType: 'webhook', ...sampleRequest } },
  firedBy: 'request',
  literalParameters: ['answer', 'handshake'], // templates over the request, not evaluated in the trigger's own run
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
      description: 'Requests with another method get 405',
    },
    toProperty(['methods', 'array', 'Several, instead of method']),
    {
      name: 'authentication',
      displayName: 'Authentication',
      type: 'options',
      options: ['none', 'apiKey', 'basic'],
      default: 'none',
      description:
        "Callers send an apiKey in the header x-api-key or as a Bearer token, basic in the header Authorization; the node's credentialId names the credential",
    },
    {
      name: 'responseMode',
      displayName: 'Response mode',
      type: 'options',
      options: ['onReceived', 'lastNode', 'responseNode'],
      default: 'onReceived',
      description: "Answer at once, with the last node's output, or as a respondToWebhook node says",
    },
    {
      name: 'deduplication',
      displayName: 'Deduplication',
      type: 'string',
      description:
        'How to recognise a repeated delivery without an Idempotency-Key header: as a known sender does, or by an expression over the request such as body.id',
    },
    ...features.map(toProperty),
  ],
  getExecutor: () => executor,
  healthCheck: async ({ clock }) => {
    const node = { id: 'check', type: 'webhookTrigger', parameters: {} };
    // The executor uses only these fields of its context.
    const context = { services: { clock } } as Parameters<NodeExecutor['execute']>[2];
    const output = (await executor.execute(node, sampleRequest, context)) as Record<string, JsonValue>;
    const keys = Object.keys(output).sort().join();
    return keys === outputKeys
      ? { status: 'healthy' }
      : { status: 'unhealthy', message: `a sample request gave the keys ${keys}` };
  },
};

export default webhookTrigger;
