import * as v from 'valibot';
import { EXECUTION_STATUSES } from '../executions/record/execution-store.ts';
import { optional, word } from '../shared/query-fields.ts';

// What the answers of several topics have.

export const described = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.pipe(schema, v.description(description));

export const instant = v.pipe(v.string(), v.metadata({ format: 'date-time' }));

export const nextCursor = described(
  v.nullable(v.string()),
  'The cursor of the next page; null on the last one',
);

export const anyObject = v.pipe(v.unknown(), v.metadata({ type: 'object', additionalProperties: true }));

/** A value as the record has it: bounded, and without secrets. */
export const json = v.unknown();

export const executionStatus = v.picklist(EXECUTION_STATUSES);

/** A definition, as in a workflow file. */
export const definition = v.pipe(v.unknown(), v.metadata({ $ref: '#/components/schemas/Workflow' }));

/** What of an execution a retry repeats. */
export const retryOnly = optional(
  word(['failedItems']),
  'Only the items of `forEach` that failed; by default all nodes',
);

export const change = v.object({
  path: described(v.string(), 'A JSON pointer'),
  from: v.optional(json),
  to: v.optional(json),
});

const jsonSchema = described(anyObject, 'A JSON Schema');
const schemas = v.record(v.string(), jsonSchema);

/** What an editor can't know of the data of a workflow. */
export const describedData = v.object({
  outputs: described(
    v.record(v.string(), schemas),
    'By node id, what nodes deliver on each output if that depends on their parameters, with references such as `#input` to what the node gets',
  ),
  workflows: described(
    v.record(v.string(), v.object({ output: jsonSchema, input: v.optional(jsonSchema) })),
    'By id, what the workflows deliver that its nodes run, and take if their trigger declares it',
  ),
});
