import { expect, test } from '@jest/globals';
import type { JsonMap } from '../index.ts';
import { compileJsonSchema, findSchemaFault, findUnsupported } from '../index.ts';

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

test.each<[JsonMap, string, string]>([
  [
    { patternProperties: { '^a': {} } },
    '/patternProperties',
    'is not supported: use "propertyNames" with a pattern',
  ],
  [{ items: { $dynamicRef: '#a' } }, '/items/$dynamicRef', 'is not supported: use $ref'],
  [{ properties: { 'a/b': { format: 'url' } } }, '/properties/a~1b/format', 'is not checked: use "uri"'],
  [{ format: 'iri' }, '/format', 'is not checked: use "uri", or a pattern'],
  [{ anyOf: [{ pattern: 'a(?=b)' }] }, '/anyOf/0/pattern', "can't be used: "],
  [{ pattern: '(a)\\1' }, '/pattern', "can't be used: "],
])('%j is valid but unsupported: what a check refuses is found with its place', (schema, place, message) => {
  expect(findSchemaFault(schema)).toBeNull();
  expect(findUnsupported(schema)).toEqual({ place, message: expect.stringContaining(message) });
  expect(() => compileJsonSchema(schema)).toThrow(RangeError);
});

test('any schema that a check accepts is supported', () => {
  expect(findUnsupported({ properties: { a: { pattern: '^a+$', format: 'email' } } })).toBeNull();
});
