import type { ActionProvider } from '../../contract/legacy-plugin.ts';

const httpRequest: ActionProvider = {
  nodeType: 'httpRequest',
  displayName: 'HTTP request',
  description:
    'Calls a URL, within settings.timeoutSeconds, and puts out its answer; private addresses are refused unless they are allowed',
  category: 'http',
  version: '1.0.0',
  example: {
    parameters: { method: 'POST', url: 'https://api.example.com/orders', body: { total: '{{ total }}' } },
    input: { total: 120 },
    output: {
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: { id: 'A-1' },
      url: 'https://api.example.com/orders',
    },
  },
  properties: [
    {
      name: 'method',
      displayName: 'Method',
      type: 'string',
      default: 'GET',
      description: 'The HTTP method, such as POST',
    },
    {
      name: 'url',
      displayName: 'URL',
      type: 'string',
      pattern: '^https?://',
      required: true,
      description: 'http or https',
    },
    {
      name: 'headers',
      displayName: 'Headers',
      type: 'object',
      default: {},
      description: 'Names and values; for secrets, use a credential',
    },
    {
      name: 'query',
      displayName: 'Query',
      type: 'object',
      default: {},
      description: 'Added to the URL; a list repeats the name',
    },
    {
      name: 'body',
      displayName: 'Body',
      type: 'any',
      description: 'By bodyType: any value, a text, or a map; null for none',
    },
    {
      name: 'bodyType',
      displayName: 'Body type',
      type: 'options',
      options: ['json', 'text', 'form'],
      default: 'json',
      description: 'How the body is sent; sets content-type unless a header does',
    },
    {
      name: 'maxRedirects',
      displayName: 'Redirects',
      type: 'number',
      default: 5,
      description: 'How many to follow',
    },
    {
      name: 'maxResponseBytes',
      displayName: 'Response size',
      type: 'number',
      default: 1_048_576,
      description: 'A larger answer fails the node',
    },
    {
      name: 'failOnStatus',
      displayName: 'Fail on status',
      type: 'boolean',
      default: true,
      description: 'Fail the node when the status is 400 or above',
    },
    {
      name: 'idempotencyKey',
      displayName: 'Idempotency key',
      type: 'boolean',
      default: false,
      description: 'Send a header Idempotency-Key, the same in every attempt, so that the receiver can tell',
    },
  ],
  getExecutor: async () => (await import('./executor.ts')).httpRequestExecutor,
  healthCheck: async () => (await import('./health.ts')).checkAddressGuard(),
};

export default httpRequest;
