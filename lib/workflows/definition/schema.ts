import { idSchema, nodeSchema } from '@hookloom/plugin-kit/host';

/** A workflow with more nodes is refused. */
export const MAX_NODES = 10_000;

export const connectionSchema = {
  type: 'object',
  required: ['sourceNodeId', 'targetNodeId'],
  additionalProperties: false,
  properties: {
    sourceNodeId: { type: 'string' },
    /** The output that the connection leaves; `main` by default. */
    sourceOutput: { type: 'string', minLength: 1 },
    targetNodeId: { type: 'string' },
    /** The input that the connection enters; `main` by default. */
    targetInput: { type: 'string', minLength: 1 },
  },
} as const;

export const workflowSettingsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    /**
     * How background runs are executed: `durable` by default if any node waits or is not pure, `express` if all are
     * pure. Synchronous executions always run in the webhook function.
     */
    execution: { enum: ['durable', 'express'] },
    /**
     * Wall-clock time in seconds. By default 25 if the caller waits (the gateway gives up after 30), 840 for express
     * and a year for durable runs.
     */
    timeoutSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 31_622_400 },
    /** Which executions keep the inputs and outputs of nodes in their record; by default durable and failed ones. */
    recordData: { enum: ['always', 'onFailure', 'never'] },
    /** Total node runs, including those of loops; 100,000 by default. */
    maxNodeRuns: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    /**
     * Size of one node's output as JSON, in bytes; 32 MB by default. A trigger's output is limited only by the request.
     */
    maxOutputBytes: { type: 'integer', minimum: 1, maximum: 100_000_000 },
    /** Whether CloudWatch also counts its executions separately from other workflows. Each metric is billed. */
    metrics: { type: 'boolean' },
    highVolume: { type: 'boolean' },
  },
} as const;

/**
 * The shape of a workflow file as JSON Schema (draft-07), from which the types in `definition.ts` are derived. What it
 * can't express is checked by `validateWorkflow`.
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
    /** Lists of workflows can be filtered by them. */
    tags: { type: 'array', maxItems: 20, items: { type: 'string', minLength: 1, maxLength: 50 } },
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
