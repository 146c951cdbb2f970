import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../tests/support/any-character.ts';
import { cases } from '../../../../tests/support/deep.ts';
import { printParameters } from '../../reference/print-node-type.ts';

const ofOne = (schema: JsonObject): string =>
  printParameters({ type: 'object', properties: { size: schema } });

test.each<[string, JsonObject]>([
  ['- `size` (any JSON)', {}],
  ['- `size` (string)', { type: 'string' }],
  ['- `size` (string or null)', { type: ['string', 'null'] }],
  ['- `size` (string): The size of it', { type: 'string', description: 'The size\n  of it' }],
  ['- `size` (`s`, `l`, default `"s"`)', { type: 'string', enum: ['s', 'l'], default: 's' }],
  ['- `size` (`s`, `1`)', { anyOf: [{ const: 's' }, { const: 1 }] }],
  ['- `size` (string or integer)', { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
  ['- `size` (array of string, not empty)', { type: 'array', items: { type: 'string' }, minItems: 1 }],
  ['- `size` (object of number)', { type: 'object', additionalProperties: { type: 'number' } }],
  ['- `size` (object of number)', { type: 'object', patternProperties: { '^.*$': { type: 'number' } } }],
  ['- `size` (integer, at least 1, at most 9)', { type: 'integer', minimum: 1, maximum: 9 }],
  ['- `size` (number, above 0, below 1)', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
  ['- `size` (string, not empty, at most 9 characters)', { type: 'string', minLength: 1, maxLength: 9 }],
  ['- `size` (string, matches `^a`, a uri)', { type: 'string', pattern: '^a', format: 'uri' }],
  ['- `size` (string, default `` "`" ``)', { type: 'string', default: '`' }],
  ['- `size` (#/definitions/size)', { $ref: '#/definitions/size' }],
  ['- `size` (any JSON)', { type: { toString: false } }],
])('%s', (line, schema) => {
  expect(ofOne(schema)).toBe(line);
});

test('a parameter without a default is marked when it is required', () => {
  const properties = { a: { type: 'string' }, b: { type: 'string', default: 'x' }, c: { type: 'string' } };
  expect(printParameters({ required: ['a', 'b'], properties })).toBe(
    '- `a` (string, required)\n- `b` (string, default `"x"`)\n- `c` (string)',
  );
});

test('the keys of objects and of list items are nested lists', () => {
  const item = {
    type: 'object',
    required: ['equals'],
    properties: { equals: {}, output: { type: 'string' } },
  };
  const page = { type: 'object', properties: { cases: { type: 'array', items: item } } };
  expect(ofOne(page)).toBe(
    [
      '- `size` (object)',
      '  - `cases` (array of object)',
      '    - `equals` (any JSON, required)',
      '    - `output` (string)',
    ].join('\n'),
  );
});

test('the keys of map values are a nested list', () => {
  const value = { type: 'object', properties: { operation: { enum: ['count', 'sum'] } } };
  expect(ofOne({ type: 'object', additionalProperties: value })).toBe(
    ['- `size` (object of object)', '  - `operation` (`count`, `sum`)'].join('\n'),
  );
});

test('alternative objects are listed one by one', () => {
  const branches = ['link', 'cursor'].map((name) => ({ type: 'object', properties: { [name]: {} } }));
  expect(ofOne({ anyOf: branches })).toBe(
    [
      '- `size` (object)',
      '  - either',
      '    - `link` (any JSON)',
      '  - either',
      '    - `cursor` (any JSON)',
    ].join('\n'),
  );
});

test('keys of which one is required are named', () => {
  const schema = { properties: { a: {}, b: {} } };
  const oneOf = [{ required: ['a'] }, { required: ['b'] }];
  expect(printParameters({ ...schema, oneOf })).toContain('\n\nExactly one is required: `a` or `b`.');
  expect(printParameters({ ...schema, anyOf: oneOf })).toContain('\n\nAt least one is required: `a` or `b`.');
});

test('a schema without properties has none', () => {
  expect(printParameters({ type: 'object' })).toBe('None.');
  expect(printParameters({ type: 'object', properties: {} })).toBe('None.');
});

test('any JSON as a schema is printed, without control characters', () => {
  const keywords = [
    'type',
    'items',
    'properties',
    'required',
    'enum',
    'anyOf',
    'oneOf',
    'description',
    'default',
  ];
  const schema = fc.dictionary(fc.constantFrom(...keywords), fc.jsonValue({ stringUnit: anyCharacter }));
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: anyCharacter }), schema), (properties) => {
      const text = printParameters({ properties } as JsonObject);
      expect(text).toMatch(/./);
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }),
    { numRuns: cases(60, 300) },
  );
});
