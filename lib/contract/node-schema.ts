import { ID_PATTERN } from './ids.ts';

/** JSON Schema (draft-07) of one node of a workflow file: the types in `node.ts` are derived from it. */

export const idSchema = { type: 'string', pattern: ID_PATTERN } as const;

export const retrySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    /** Attempts in all, the first one included; 1 (the default) never tries again. */
    maxAttempts: { type: 'integer', minimum: 1, maximum: 20 },
    /** Seconds before the second attempt; 1 by default. */
    intervalSeconds: { type: 'number', minimum: 0, maximum: 86_400 },
    /** Each further delay is this many times the one before; 2 by default. */
    backoffRate: { type: 'number', minimum: 1, maximum: 10 },
    /** No delay is longer than this many seconds; 60 by default. */
    maxDelaySeconds: { type: 'number', minimum: 0, maximum: 86_400 },
  },
} as const;

export const nodeSettingsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    retry: retrySchema,
    /** Seconds one attempt may take; 30 by default. A process lives 900 seconds: what takes longer could never end. */
    timeoutSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 840 },
    /**
     * What happens when a node has failed for good: `fail` (the default) ends the execution; `continue` goes on
     * with the node's input as its output; `route` delivers the input plus `error` on the output `error`.
     */
    onError: { enum: ['fail', 'continue', 'route'] },
    /**
     * For nodes that touch the outside: an attempt that a crash interrupted is not made again, it fails. Without it
     * the attempt is made again, under the same idempotency key. Not together with several attempts.
     */
    atMostOnce: { type: 'boolean' },
    /** For the node that a loop leads back to: how often the loop may run; 100 by default. */
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
