import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { findSchemaError } from '../../../../lib/workflows/validation/schema/find-schema-error.ts';

test.each<[string, JsonObject]>([
  ['an empty one', {}],
  ['one with references', { $defs: { a: { type: 'string' } }, properties: { b: { $ref: '#/$defs/a' } } }],
  ['one with keywords that are not known', { properties: { a: { 'x-hint': 1 } } }],
])('%s compiles', (_case, schema) => {
  expect(findSchemaError(schema)).toBeNull();
});

test.each<[string, JsonObject, string, string]>([
  [
    'a keyword with a wrong value',
    { properties: { a: { items: { minLength: 'x' } } } },
    '/properties/a/items/minLength',
    'must be integer',
  ],
  [
    'a reference that leads nowhere',
    { properties: { 'a/b': { $ref: '#/$defs/gone' } } },
    '/properties/a~1b/$ref',
    "can't resolve reference #/$defs/gone",
  ],
  [
    'a pattern that is none',
    { $defs: { a: { pattern: '(' } }, properties: { a: { $ref: '#/$defs/a' } } },
    '/$defs/a/pattern',
    'Invalid regular expression',
  ],
  [
    'a name that is no pattern',
    { patternProperties: { '[': { type: 'string' } } },
    '/patternProperties',
    'Invalid regular expression',
  ],
  ['a schema of schemas that is not known', { $schema: 'https://example.com/own' }, '', 'no schema with key'],
])('%s is found at its place', (_case, schema, place, message) => {
  expect(findSchemaError(schema)).toEqual({ place, message: expect.stringContaining(message) });
  expect(findSchemaError(schema)).not.toBeNull(); // and again
});
