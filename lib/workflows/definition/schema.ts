import { idSchema, nodeSchema } from '@hookloom/plugin-kit/host';

/** More nodes than this are refused. */
export const MAX_NODES = 10_000;

export const connectionSchema = {
  type: 'object',
  required: ['sourceNodeId', 'targetNodeId'],
  additionalProperties: false,
  properties: {
    sourceNodeId: { type: 'string' },
    /** `main` by default. */
    sourceOutput: { type: 'string', minLength: 1 },
    targetNodeId: { type: 'string' },
    /** `main` by default. */
    targetInput: { type: 'string', minLength: 1 },
  },
} as const;

export const workflowSettingsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    /**
     * `durable` by default when a node is not pure or waits, `express` when all are pure. Synchronous executions run in
     * the webhook function in either case.
     */
    execution: { enum: ['durable', 'express'] },
    /**
     * Wall time in seconds. By default 25 for synchronous answers (the gateway gives up at 30), 840 for express and a
     * year for durable runs.
     */
    timeoutSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 31_622_400 },
    /** Executions whose record keeps the inputs and outputs of nodes; by default durable and failed ones. */
    recordData: { enum: ['always', 'onFailure', 'never'] },
    /** Node runs in all, those of loops included; 100,000 by default. */
    maxNodeRuns: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    /** Of one node's output as JSON; 32 MB by default. The output of a trigger is limited by the request alone. */
    maxOutputBytes: { type: 'integer', minimum: 1, maximum: 100_000_000 },
    /** Count its executions in CloudWatch apart from those of other workflows as well. Each metric is billed. */
    metrics: { type: 'boolean' },
    highVolume: { type: 'boolean' },
  },
} as const;

/**
 * The shape of a workflow file as JSON Schema (draft-07): the types in `definition.ts` are derived from it. What it
 * can't say is checked by `validateWorkflow`.
 */
export const workflowSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Hookloom workflow',
  type: 'object',
  required: ['id', 'name', 'nodes', 'connections'],
  properties: {
    id: idSchema,
    name: { type: 'string', minLength: 1 },
    description: { type: 'string' },
    enabled: { type: 'boolean' },
    nodes: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_NODES,
      items: nodeSchema,
      description: 'a list of { "id": …, "type": …, "parameters": … }',
    },
    connections: {
      type: 'array',
      items: connectionSchema,
      description: 'a list of { "sourceNodeId": …, "targetNodeId": … }',
    },
    settings: workflowSettingsSchema,
  },
} as const;
