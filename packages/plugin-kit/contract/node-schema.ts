import type { Static } from 'typebox';

const pattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The pattern, for JSON Schema, of the ids of workflows, nodes, credentials and executions. Such ids fit into paths and
 * AWS names.
 */
export const ID_PATTERN = pattern.source;

export const isId = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);

/** JSON Schema (draft-07) of one node of a workflow file: the types in `node.ts` are derived from it. */

export const retrySchema = {
  type: 'object',
  description: 'Further attempts after a failure',
  additionalProperties: false,
  properties: {
    maxAttempts: {
      type: 'integer',
      minimum: 1,
      maximum: 20,
      description: 'Total number of attempts, including the first; 1 by default, which means no retry',
    },
    intervalSeconds: {
      type: 'number',
      minimum: 0,
      maximum: 86_400,
      description: 'How long to wait before the second attempt; 1 by default',
    },
    backoffRate: {
      type: 'number',
      minimum: 1,
      maximum: 10,
      description: 'Factor between one delay and the next; 2 by default',
    },
    maxDelaySeconds: {
      type: 'number',
      minimum: 0,
      maximum: 86_400,
      description: 'The longest delay; 60 by default',
    },
  },
} as const;

export const nodeSettingsSchema = {
  type: 'object',
  description: 'Retries, time limit, and what happens after a failure',
  additionalProperties: false,
  properties: {
    retry: retrySchema,
    // A Lambda function ends after 900 seconds and needs the rest for itself.
    timeoutSeconds: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 840,
      description: 'How long one attempt may take; 30 by default',
    },
    onError: {
      enum: ['fail', 'continue', 'route'],
      description:
        'After the last attempt has failed: fail (the default) ends the execution; continue delivers the input and error on main; route delivers them on the output error',
    },
    atMostOnce: {
      type: 'boolean',
      description:
        'An attempt that a crash interrupted fails, instead of being repeated with the same idempotency key; only with a single attempt',
    },
    maxIterations: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      description: 'For the first node of a loop: how often the loop may run; 100 by default',
    },
  },
} as const;

export const nodeSchema = {
  type: 'object',
  required: ['id', 'type'],
  additionalProperties: false,
  properties: {
    // Without a spread, so that bundles which use only the types leave the schema out.
    id: {
      type: 'string',
      pattern: ID_PATTERN,
      description: 'Up to 64 of A-Z a-z 0-9 _ -; unique in the workflow',
    },
    type: { type: 'string', minLength: 1, description: 'The node type' },
    name: { type: 'string', description: 'A name for people' },
    parameters: { type: 'object' },
    settings: nodeSettingsSchema,
    credentialId: { type: 'string', pattern: ID_PATTERN, description: 'The id of its credential' },
    disabled: {
      type: 'boolean',
      description: 'If true, the input is passed through; a disabled trigger never fires',
    },
    notes: { type: 'string', description: 'Notes for people' },
    position: { type: ['object', 'array'], description: 'The place in a graphical editor' },
  },
} as const;

/** The type of the values that a JSON Schema (`as const`) allows, read-only at every depth. */
export type FromSchema<Schema> = Immutable<Static<Schema & object>>;

type Immutable<Value> = { readonly [Key in keyof Value]: Immutable<Value[Key]> };
