/** More nodes than this are refused. */
export const MAX_NODES = 10_000;

const id = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const seconds = { type: 'number', exclusiveMinimum: 0, maximum: 31_622_400 };

const retry = {
  type: 'object',
  additionalProperties: false,
  properties: {
    maxAttempts: { type: 'integer', minimum: 1, maximum: 20 },
    intervalSeconds: { type: 'number', minimum: 0, maximum: 86_400 },
    backoffRate: { type: 'number', minimum: 1, maximum: 10 },
    maxDelaySeconds: { type: 'number', minimum: 0, maximum: 86_400 },
  },
};

const node = {
  type: 'object',
  required: ['id', 'type'],
  additionalProperties: false,
  properties: {
    id,
    type: { type: 'string', minLength: 1 },
    name: { type: 'string' },
    parameters: { type: 'object' },
    settings: {
      type: 'object',
      additionalProperties: false,
      properties: {
        retry,
        // A process lives 900 seconds: what takes longer could never end.
        timeoutSeconds: { ...seconds, maximum: 840 },
        onError: { enum: ['fail', 'continue', 'route'] },
        atMostOnce: { type: 'boolean' },
        maxIterations: { type: 'integer', minimum: 1, maximum: 100_000 },
      },
    },
    credentialId: id,
    disabled: { type: 'boolean' },
    notes: { type: 'string' },
    position: { type: ['object', 'array'] },
  },
};

const connection = {
  type: 'object',
  required: ['sourceNodeId', 'targetNodeId'],
  additionalProperties: false,
  properties: {
    sourceNodeId: { type: 'string' },
    sourceOutput: { type: 'string', minLength: 1 },
    targetNodeId: { type: 'string' },
    targetInput: { type: 'string', minLength: 1 },
  },
};

/** The shape of a workflow file as JSON Schema (draft-07). What it can't say is checked by `validateWorkflow`. */
export const workflowSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Hookloom workflow',
  type: 'object',
  required: ['id', 'name', 'nodes', 'connections'],
  properties: {
    id,
    name: { type: 'string', minLength: 1 },
    description: { type: 'string' },
    enabled: { type: 'boolean' },
    nodes: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_NODES,
      items: node,
      description: 'a list of { "id": …, "type": …, "parameters": … }',
    },
    connections: {
      type: 'array',
      items: connection,
      description: 'a list of { "sourceNodeId": …, "targetNodeId": … }',
    },
    settings: {
      type: 'object',
      additionalProperties: false,
      properties: {
        execution: { enum: ['durable', 'express'] },
        timeoutSeconds: seconds,
        recordData: { enum: ['always', 'onFailure', 'never'] },
        maxNodeRuns: { type: 'integer', minimum: 1, maximum: 1_000_000 },
        maxOutputBytes: { type: 'integer', minimum: 1, maximum: 100_000_000 },
      },
    },
  },
} as const;
