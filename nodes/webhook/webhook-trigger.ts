import { definePlugin, type JsonObject, type JsonValue, type PluginHandle } from '@hookloom/plugin-kit';

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
 * The output is the request, with defaults for what is missing in a manual run; `pathParams` and `rawBody` have no
 * default.
 */
const execute: PluginHandle['execute'] = ({ parameters }, request, { services }) => ({
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
});

const first = (value: JsonValue | undefined) => (Array.isArray(value) ? value[0] : undefined);

const outputKeys = ['triggerType', ...Object.keys(sampleRequest)].sort().join();

type Row = readonly [
  name: string,
  type: string | null,
  description: string,
  options?: readonly string[] | null,
  initial?: string,
];

/** The parameters as rows, since every webhook's bundle contains them. The features, which come last, are off if absent. */
const rows: readonly Row[] = [
  [
    'path',
    'string',
    'Below /api/webhook/{workflowId}, such as /orders, /users/:id or /files/*rest',
    null,
    '/webhook',
  ],
  [
    'method',
    'string',
    'Requests with another method get 405',
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
    'POST',
  ],
  ['methods', 'array', 'Several, instead of method'],
  [
    'authentication',
    'string',
    "Callers send an apiKey in the header x-api-key or as a Bearer token, basic in the header Authorization; the node's credentialId names the credential",
    ['none', 'apiKey', 'basic'],
    'none',
  ],
  [
    'responseMode',
    'string',
    "Answer at once, with the last node's output, or as a respondToWebhook node says",
    ['onReceived', 'lastNode', 'responseNode'],
    'onReceived',
  ],
  [
    'deduplication',
    'string',
    'How to recognise a repeated delivery without an Idempotency-Key header: as a known sender does, or by an expression over the request such as body.id',
  ],
  ['allowFrom', 'array', 'Networks whose callers are allowed'],
  ['signature', 'object', 'How the sender signs its requests'],
  ['handshake', 'object', "The sender's test of the URL"],
  ['cors', 'object', 'Sites whose scripts may call it'],
  ['answer', 'object', 'The answer of onReceived'],
  ['lastNodeAnswer', 'string', 'The answer of lastNode', ['output', 'all', 'firstItem', 'file']],
  ['timeoutSeconds', 'number', 'How long the caller waits'],
  ['onTimeout', 'string', 'Answer 504, or 202 and continue', ['fail', 'continue']],
  ['recordRequests', 'boolean', 'Record all requests, not only refused ones'],
  ['continueAfterResponse', 'boolean', 'Continue after respondToWebhook'],
  ['body', 'object', 'How bodies are parsed'],
  ['bigNumbers', 'string', 'Integers beyond 2^53 in JSON', ['string', 'refuse']],
  ['paused', null, 'Answer 503, or store requests'],
  ['maxBodyBytes', 'number', 'Larger bodies get 413'],
  ['rateLimit', 'object', 'Requests above it get 429'],
  ['form', 'boolean', 'Show a page with a form for GET'],
  ['schema', 'object', 'JSON Schema of the body'],
  ['onlyIf', 'string', 'Start nothing if it is false'],
  ['onKeyReuse', 'string', 'Another body under a known key', ['refuse', 'duplicate']],
  ['concurrency', 'object', 'Limits concurrent runs'],
  ['upload', 'object', 'Direct file uploads'],
];

const toProperty = ([name, type, description, options, initial]: Row): readonly [string, JsonObject] => [
  name,
  {
    title: toTitle(name),
    description,
    ...(type && { type }),
    ...(options && { enum: options }),
    ...(initial && { default: initial }),
  },
];

/** The title of a parameter: `Rate limit` for `rateLimit`. */
const toTitle = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)}`;

export const webhookTrigger: PluginHandle = {
  id: 'webhookTrigger',
  name: 'Webhook trigger',
  description: 'Starts the workflow when an HTTP request arrives at its URL',
  kind: 'trigger',
  firedBy: 'request',
  schema: {
    type: 'object',
    properties: Object.fromEntries(rows.map(toProperty)),
    required: [],
    additionalProperties: false,
  },
  literalParameters: ['answer', 'handshake'], // templates over the request, not evaluated in the trigger's own run
  credentialTypes: ['apiKey', 'basic'],
  example: { parameters: { responseMode: 'lastNode' }, output: { triggerType: 'webhook', ...sampleRequest } },
  execute,
};

const { id, name, description } = webhookTrigger;

export default definePlugin({
  id,
  name,
  version: '1.0.0',
  description,
  category: 'trigger',
  handles: [webhookTrigger],
  healthCheck: async ({ clock }) => {
    const node = { id: 'check', type: id, parameters: {} };
    // It uses only these fields of its context.
    const context = { services: { clock } } as Parameters<typeof execute>[2];
    const output = (await execute(node, sampleRequest, context)) as JsonObject;
    const keys = Object.keys(output).sort().join();
    return keys === outputKeys
      ? { status: 'healthy' }
      : { status: 'unhealthy', message: `a sample request gave the keys ${keys}` };
  },
});
