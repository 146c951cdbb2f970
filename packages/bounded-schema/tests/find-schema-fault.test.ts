import { expect, test } from '@jest/globals';
import type { JsonMap } from '../index.ts';
import { findSchemaFault } from '../index.ts';

test.each<[string, JsonMap]>([
  ['an empty one', {}],
  ['one with references', { $defs: { a: { type: 'string' } }, properties: { b: { $ref: '#/$defs/a' } } }],
  ['one with keywords that are not known', { properties: { a: { 'x-hint': 1 } } }],
])('%s compiles', (_case, schema) => {
  expect(findSchemaFault(schema)).toBeNull();
});

test.each<[string, JsonMap, string, string]>([
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
    'refers to #/$defs/gone, which is not in the schema',
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
  [
    'a draft that is not known',
    { $schema: 'https://example.com/own' },
    '/$schema',
    'must name draft 2020-12',
  ],
])('%s is found at its place', (_case, schema, place, message) => {
  expect(findSchemaFault(schema)).toEqual({ place, message: expect.stringContaining(message) });
  expect(findSchemaFault(schema)).not.toBeNull(); // and again
});
