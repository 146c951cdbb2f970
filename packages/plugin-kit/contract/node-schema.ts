import type { Static } from 'typebox';

const pattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The pattern, for JSON Schema, of the ids of workflows, nodes, credentials and executions. Such ids fit into paths and
 * AWS names.
 */
const ID_PATTERN = pattern.source;

export const isId = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);

/** JSON Schema (draft-07) of one node of a workflow file: the types in `node.ts` are derived from it. */

export const idSchema = { type: 'string', pattern: ID_PATTERN } as const;

export const retrySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    /** Total number of attempts, including the first; 1 by default, which means no retry. */
    maxAttempts: { type: 'integer', minimum: 1, maximum: 20 },
    /** How many seconds to wait before the second attempt; 1 by default. */
    intervalSeconds: { type: 'number', minimum: 0, maximum: 86_400 },
    /** Factor between one delay and the next; 2 by default. */
    backoffRate: { type: 'number', minimum: 1, maximum: 10 },
    /** Longest delay in seconds; 60 by default. */
    maxDelaySeconds: { type: 'number', minimum: 0, maximum: 86_400 },
  },
} as const;

export const nodeSettingsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    retry: retrySchema,
    /**
     * How long one attempt may take, in seconds; 30 by default. A Lambda function ends after 900 seconds and needs the
     * rest for itself.
     */
    timeoutSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 840 },
    /**
     * What happens after the last attempt of a node has failed: `fail` (the default) ends the execution; `continue`
     * uses the node's input as its output; `route` delivers the input plus `error` on the output `error`.
     */
    onError: { enum: ['fail', 'continue', 'route'] },
    /**
     * If true, an attempt that a crash interrupted fails; otherwise it is repeated with the same idempotency key.
     * Allowed for the same nodes as `retry`, and only with a single attempt.
     */
    atMostOnce: { type: 'boolean' },
    /** For the first node of a loop, how often the loop may run; 100 by default. */
    maxIterations: { type: 'integer', minimum: 1, maximum: 100_000 },
  },
} as const;

export const nodeSchema = {
  type: 'object',
  required: ['id', 'type'],
  additionalProperties: false,
  properties: {
    id: idSchema,
    type: { type: 'string', minLength: 1 },
    name: { type: 'string' },
    parameters: { type: 'object' },
    settings: nodeSettingsSchema,
    credentialId: idSchema,
    disabled: { type: 'boolean' },
    notes: { type: 'string' },
    position: { type: ['object', 'array'] },
  },
} as const;

/** The type of the values that a JSON Schema (`as const`) allows, read-only at every depth. */
export type FromSchema<Schema> = Immutable<Static<Schema & object>>;

type Immutable<Value> = { readonly [Key in keyof Value]: Immutable<Value[Key]> };
