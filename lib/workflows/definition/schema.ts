import { ID_PATTERN, nodeSchema } from '@hookloom/plugin-kit/host';

/** A workflow with more nodes is refused. */
export const MAX_NODES = 10_000;

/** The format of new workflow files. A file without one has format 1, and keeps its meaning. */
export const CURRENT_FORMAT = 2;

/** A duration such as `1 day`, which `readDuration` reads. */
export const DURATION_PATTERN = '^([1-9]\\d{0,4}) +(minute|hour|day)s?$';

export const connectionSchema = {
  type: 'object',
  required: ['sourceNodeId', 'targetNodeId'],
  additionalProperties: false,
  properties: {
    sourceNodeId: { type: 'string', description: 'The node where the connection starts' },
    sourceOutput: {
      type: 'string',
      minLength: 1,
      description: 'The output that it leaves; main by default',
    },
    targetNodeId: { type: 'string', description: 'The node where the connection ends' },
    targetInput: {
      type: 'string',
      minLength: 1,
      description: 'The input that it enters; main by default',
    },
  },
} as const;

export const workflowSettingsSchema = {
  type: 'object',
  description: 'How it is executed, and limits',
  additionalProperties: false,
  properties: {
    execution: {
      enum: ['durable', 'express'],
      description:
        'How background runs are executed: durable by default if a node waits or has side effects, express if all nodes are pure',
    },
    timeoutSeconds: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 31_622_400,
      description:
        'Wall-clock time of a run; by default 25 if the caller waits, 840 for express and a year for durable runs',
    },
    recordData: {
      enum: ['always', 'onFailure', 'never'],
      description:
        'Which executions keep the inputs and outputs of nodes in their record; by default durable and failed ones',
    },
    maxNodeRuns: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description: 'Total node runs, including those of loops; 100,000 by default',
    },
    maxOutputBytes: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000_000,
      description:
        "Size of one node's output as JSON, 32 MB by default; a trigger's output is limited only by the request",
    },
    metrics: {
      type: 'boolean',
      description: 'Count its executions in metrics of their own, each of which is billed',
    },
    maxCostPerMonth: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      description:
        'US dollars that its executions may cost in a month (UTC) at list prices; at half and at 80 % notices are raised, and at 100 % its triggers are held until the next month. No limit by default',
    },
    highVolume: {
      type: 'boolean',
      description: 'For a workflow that starts more than 1,000 executions a second',
    },
    expect: {
      description:
        'How often it should run: fewer executions are reported as silence. By default as often as its schedules and polls; false if nothing is expected of it',
      anyOf: [
        { const: false },
        {
          type: 'object',
          required: ['every'],
          additionalProperties: false,
          properties: {
            atLeast: {
              type: 'integer',
              minimum: 1,
              maximum: 100,
              description: 'How many executions; 1 by default',
            },
            every: {
              type: 'string',
              pattern: DURATION_PATTERN,
              description: 'Within which time, from 15 minutes to 30 days: 1 hour, 7 days',
            },
          },
        },
      ],
    },
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
    $schema: { type: 'string', description: 'The JSON Schema of the file, for editors; it is not stored' },
    format: {
      enum: [1, CURRENT_FORMAT],
      description: 'The format of the file: 1 if it is absent, 2 in new files',
    },
    id: {
      type: 'string',
      pattern: ID_PATTERN,
      description: 'Up to 64 of A-Z a-z 0-9 _ -; part of the URLs of its webhooks',
    },
    name: { type: 'string', minLength: 1, description: 'The name that lists show' },
    description: { type: 'string', description: 'What the workflow does' },
    enabled: { type: 'boolean', description: 'Whether its triggers start it; true by default' },
    tags: {
      type: 'array',
      maxItems: 20,
      items: { type: 'string', minLength: 1, maxLength: 50 },
      description: 'Texts by which lists of workflows can be filtered',
    },
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
