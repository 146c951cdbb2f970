import { compileJsonSchema } from '@hookloom/bounded-schema';
import { type JsonObject, type JsonValue, Type } from '@hookloom/plugin-kit';
import type { Problem } from '../definition/problem.ts';
import { defineRule, type RuleContext } from './webhook-rule.ts';

const MAX_CHARACTERS = 100_000;

/** What a body must be. */
export const schema = defineRule(
  Type.Record(Type.String(), Type.Unknown(), {
    format: 'json-schema',
    description:
      'JSON Schema (2020-12) of the body: others get 400 with the violations. References within it alone; patterns without look-around and back-references; no patternProperties and $dynamicRef',
    examples: [{ type: 'object', required: ['id'], properties: { id: { type: 'string' } } }],
  }),
  { findProblems: (value, context) => findProblems(value, context) },
);

const findProblems = (value: JsonValue, { findSchemaError }: RuleContext): Problem[] => {
  if (JSON.stringify(value).length > MAX_CHARACTERS)
    return [{ path: '', message: `is longer than ${MAX_CHARACTERS} characters of JSON` }];
  const error = findSchemaError(value as JsonObject);
  if (error !== null) return [{ path: error.place, message: `is no JSON Schema: ${error.message}` }];
  try {
    compileJsonSchema(value as JsonObject)({}); // a reference that leads nowhere shows with a value
    return [];
  } catch (unusable) {
    return [{ path: '', message: unusable instanceof Error ? unusable.message : String(unusable) }];
  }
};
