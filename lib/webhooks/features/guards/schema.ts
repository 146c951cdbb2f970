import type { JsonMap } from '@hookloom/bounded-schema';
import { type JsonObject, Type } from '@hookloom/plugin-kit';
import type { Problem } from '../../../workflows/definition/problem.ts';
import { defineFeature } from '../../webhook-feature.ts';

const MAX_SCHEMA_CHARACTERS = 100_000;

/** Refuses bodies that do not match a JSON Schema. The response lists the violations, but no values of the body. */
export const schema = defineFeature({
  name: 'schema',
  schema: Type.Record(Type.String(), Type.Unknown(), {
    format: 'json-schema',
    description:
      'JSON Schema (2020-12) of the body; a body that does not match gets 400 with the violations. References must stay inside the schema. Look-around and back-references in patterns, patternProperties and $dynamicRef are not supported',
    examples: [{ type: 'object', required: ['id'], properties: { id: { type: 'string' } } }],
  }),
  check: (value) => findProblems(value as JsonObject),
  stages: async (rule) => {
    const match = (await import('../../../shared/match-schema.chunk.ts')).matchSchema(rule as JsonMap);
    return { judge: ({ input }) => match(input.body) };
  },
});

const findProblems = async (value: JsonObject): Promise<Problem[]> => {
  if (JSON.stringify(value).length > MAX_SCHEMA_CHARACTERS)
    return [{ path: '', message: `is longer than ${MAX_SCHEMA_CHARACTERS} characters of JSON` }];
  const { compileJsonSchema, findSchemaFault, findUnsupported } = await import('@hookloom/bounded-schema');
  const fault = findSchemaFault(value);
  if (fault !== null) return [{ path: fault.place, message: `is not a valid JSON Schema: ${fault.message}` }];
  const unsupported = findUnsupported(value);
  if (unsupported !== null) return [{ path: unsupported.place, message: unsupported.message }];
  try {
    compileJsonSchema(value)({}); // a reference that leads nowhere else shows with a value
    return [];
  } catch (unusable) {
    return [{ path: '', message: unusable instanceof Error ? unusable.message : String(unusable) }];
  }
};
