import { compileJsonSchema } from '@hookloom/bounded-schema';
import { createReader, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cases } from '../../../../../tests/support/deep.ts';
import { checkSchema } from '../../../validation/schema/check-schema.ts';

const scalars: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  1,
  1.5,
  -1,
  '',
  'a',
  'ab',
  '😀',
  '😀😀',
  'Ä',
  '1',
];
/** Of properties; every object inherits the last two, which no value here has. */
const names = ['a', 'b', 'toString', 'constructor'];

const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...scalars),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { noNullPrototype: true, maxKeys: 3 }),
  ),
}));

const anyLength = fc.integer({ min: 0, max: 3 });
const anyNames = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 });

/** Schemas of the keywords that parameters have. */
const { schema: anySchema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    keywords({ const: anyValue }),
    keywords({ enum: fc.array(anyValue, { minLength: 1, maxLength: 3 }) }),
    keywords({
      minLength: anyLength,
      maxLength: anyLength,
      pattern: fc.constantFrom('^a', '^.$', '^\\p{L}*$'),
    }),
    keywords({
      minimum: anyLength,
      maximum: anyLength,
      exclusiveMinimum: anyLength,
      exclusiveMaximum: anyLength,
    }),
    keywords({ items: tie('schema'), minItems: anyLength, maxItems: anyLength }),
    keywords({
      properties: fc.dictionary(fc.constantFrom(...names), tie('schema'), {
        noNullPrototype: true,
        maxKeys: 2,
      }),
      required: anyNames,
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    }),
    keywords({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), required: anyNames }),
    keywords({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), required: anyNames }),
    keywords({ not: tie('schema') }),
  ),
}));

/** Any choice of some keywords, and any types. */
function keywords(others: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject> {
  const types = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];
  const type = fc.oneof(
    fc.constantFrom(...types),
    fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 }),
  );
  return fc.record(
    { type, ...others },
    { requiredKeys: [], noNullPrototype: true },
  ) as fc.Arbitrary<JsonObject>;
}

const isTakenInARun = (schema: JsonObject, value: JsonValue): boolean => {
  try {
    createReader({ required: ['p'], properties: { p: schema } })({ p: value });
    return true;
  } catch {
    return false;
  }
};

test('a schema accepts the same values when a workflow is stored, for a parameter in a run, and for a body', () => {
  fc.assert(
    fc.property(anySchema, fc.array(anyValue, { minLength: 1, maxLength: 5 }), (schema, values) => {
      const findViolations = compileJsonSchema(schema);
      for (const value of values) {
        const isStored = checkSchema(schema, value, '').length === 0;
        expect({ value, isTaken: isTakenInARun(schema, value) }).toEqual({ value, isTaken: isStored });
        expect({ value, isTaken: findViolations(value).length === 0 }).toEqual({ value, isTaken: isStored });
      }
    }),
    { numRuns: cases(300, 5_000) },
  );
});
