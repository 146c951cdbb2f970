import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { validate } from '../../../nodes/formats/validate.ts';
import { runNodeType } from '../../support/run-node-type.ts';

const order: JsonObject = {
  type: 'object',
  required: ['id', 'lines'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
    email: { type: 'string', format: 'email' },
    lines: { type: 'array', minItems: 1, uniqueItems: true, items: { $ref: '#/$defs/line' } },
  },
  $defs: { line: { type: 'object', properties: { price: { type: 'number', minimum: 0 } } } },
};

const valid: readonly (readonly [JsonValue, JsonObject])[] = [
  [{ id: 'AB-12', lines: [{ price: 1 }] }, order],
  [{ id: 'AB-12', lines: [{}], email: 'ada@example.com' }, order],
  [null, {}],
  [1, { enum: [1, '1'] }],
  [{ pattern: '(' }, { const: { pattern: '(' } }],
  [{ pattern: 'x' }, { properties: { pattern: { type: 'string' } } }],
  ['ü', { pattern: '^.$' }],
  [JSON.parse('{"__proto__": 1}'), { properties: JSON.parse('{"__proto__": {"type": "integer"}}') }],
];

test.each(valid)('%j is valid', async (value, schema) => {
  expect(await runNodeType(validate, { value, schema })).toEqual({ outputs: { valid: { value } } });
});

const invalid: readonly (readonly [JsonValue, JsonObject, readonly JsonObject[]])[] = [
  [
    { id: 'ab', lines: [], other: 1 },
    order,
    [
      { place: '/id', keyword: 'pattern', message: 'String does not match pattern "^[A-Z]{2}-\\d+$".' },
      { place: '/lines', keyword: 'minItems' },
      { place: '/other', keyword: 'false' },
    ],
  ],
  [
    { id: 'AB-1', lines: [{ price: -1 }, { price: -1 }] },
    order,
    [
      { place: '/lines/0/price', keyword: 'minimum' },
      { place: '/lines/1/price', keyword: 'minimum' },
      { place: '/lines', keyword: 'uniqueItems', message: 'Duplicate items at indexes 0 and 1.' },
    ],
  ],
  [{ id: 'AB-1', lines: [{}], email: 'x' }, order, [{ place: '/email', keyword: 'format' }]],
  [
    { 'a/b': { 'c~d': 1 } },
    { properties: { 'a/b': { properties: { 'c~d': { type: 'string' } } } } },
    [{ place: '/a~1b/c~0d', keyword: 'type' }],
  ],
  [
    JSON.parse('{"__proto__": "x"}'),
    { properties: JSON.parse('{"__proto__": {"type": "integer"}}') },
    [{ place: '/__proto__', keyword: 'type' }],
  ],
];

test.each(invalid)('%j is invalid', async (value, schema, errors) => {
  const result = await runNodeType(validate, { value, schema });
  expect(result).toMatchObject({ outputs: { invalid: { value } } });
  const { outputs } = result as { outputs: { invalid: { errors: readonly JsonObject[] } } };
  expect(outputs.invalid.errors.map(({ place }) => place).sort()).toEqual(
    errors.map(({ place }) => place).sort(),
  );
  for (const error of errors) expect(outputs.invalid.errors).toContainEqual(expect.objectContaining(error));
});

test('there are at most 100 errors', async () => {
  const value = Array(1_000).fill('x');
  const result = await runNodeType(validate, { value, schema: { items: { type: 'number' } } });
  expect(result).toMatchObject({ outputs: { invalid: { errors: { length: 100 } } } });
});

describe('uniqueItems', () => {
  const schema = { uniqueItems: true };

  test.each<[string, JsonValue]>([
    ['1,001 numbers', [...Array(1_001).keys()]],
    ['101 maps', Array.from({ length: 101 }, (_, id) => ({ id }))],
    ['101 values, one of which is a list', [...Array(100).keys(), []]],
    ['101 values, one of which is a long text', [...Array(100).keys(), 'x'.repeat(1_001)]],
  ])('%s are too many to compare', async (_case, value) => {
    const result = await runNodeType(validate, { value, schema });
    expect(result).toMatchObject({ outputs: { invalid: { errors: [{ keyword: 'maxItems', place: '' }] } } });
  });

  test.each<[string, JsonValue[]]>([
    ['1,000 texts', Array.from({ length: 1_000 }, (_, id) => `item ${id}`)],
    ['100 maps', Array.from({ length: 100 }, (_, id) => ({ id }))],
  ])('%s are compared', async (_case, value) => {
    expect(await runNodeType(validate, { value, schema })).toMatchObject({ outputs: { valid: {} } });
    const twice = [...value.slice(1), value.at(-1) ?? null];
    expect(await runNodeType(validate, { value: twice, schema })).toMatchObject({
      outputs: { invalid: { errors: [{ keyword: 'uniqueItems', place: '' }] } },
    });
  });
});

test.each<[JsonValue, JsonObject, JsonObject[]]>([
  [
    { a: 1 },
    { additionalProperties: false },
    [{ place: '/a', keyword: 'false', message: 'False boolean schema.' }],
  ],
  [[1], { items: false }, [{ place: '/0', keyword: 'false', message: 'False boolean schema.' }]],
  [{ a: 1 }, { unevaluatedProperties: false, properties: { a: true } }, []],
  [[1], { contains: true, items: true }, []],
])('%j with booleans as schemas: %j', async (value, schema, errors) => {
  const expected = errors.length === 0 ? { valid: { value } } : { invalid: { value, errors } };
  expect(await runNodeType(validate, { value, schema })).toEqual({ outputs: expected });
});

const nested = (levels: number): JsonValue => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('fails', () => {
  const failures: readonly (readonly [string, JsonObject, string])[] = [
    [
      'a pattern with look-ahead',
      { value: '', schema: { properties: { a: { pattern: '(?=a)' } } } },
      'Parameter "schema" has a pattern at /properties/a, which can\'t be used',
    ],
    [
      'a pattern that is none',
      { value: '', schema: { pattern: '[' } },
      'Parameter "schema" has a pattern at its top level, which can\'t be used: it is not a regular expression',
    ],
    [
      'patternProperties',
      { value: {}, schema: { items: { patternProperties: { a: {} } } } },
      'Parameter "schema" has patternProperties at /items, which is not supported: use "propertyNames" with a pattern',
    ],
    [
      'the format url',
      { value: '', schema: { format: 'url' } },
      'Parameter "schema" has the format "url" at its top level, which is not checked: use "uri"',
    ],
    [
      'a reference to another place',
      { value: 1, schema: { $ref: 'https://example.com/schema.json' } },
      'Parameter "schema" can\'t be used: Unresolved $ref',
    ],
    [
      'a reference to nothing',
      { value: 1, schema: { $ref: '#/$defs/none' } },
      'Parameter "schema" can\'t be used: Unresolved $ref',
    ],
    [
      'a reference to itself',
      { value: 1, schema: { $ref: '#' } },
      'Parameter "value" is nested too deeply for this schema',
    ],
    [
      'a key with half of a character',
      { value: { '\ud800': 1 }, schema: { properties: { '\ud800': {} } } },
      'Parameter "value" has a key with a lone surrogate',
    ],
    ['no schema', { value: 1 }, 'Parameter "schema" must be a map, got nothing'],
  ];

  test.each(failures)('%s', async (_name, parameters, message) => {
    expect(await runNodeType(validate, parameters)).toMatchObject({
      failure: { message: expect.stringContaining(message) },
    });
  });
});

test('a pattern that backtracks in other engines is matched in one pass', async () => {
  const value = `${'a'.repeat(20_000)}!`;
  expect(await runNodeType(validate, { value, schema: { pattern: '^(a+)+$' } })).toMatchObject({
    outputs: { invalid: { errors: [{ keyword: 'pattern' }] } },
  });
});

test('a recursive schema checks 200 levels, and fails by name beyond the stack limit', async () => {
  const schema = { items: { $ref: '#' } };
  expect(await runNodeType(validate, { value: nested(200), schema })).toHaveProperty('outputs.valid');
  expect(await runNodeType(validate, { value: nested(990), schema })).toMatchObject({
    failure: { message: 'Parameter "value" is nested too deeply for this schema' },
  });
});

test('the formats of one schema do not affect the next', async () => {
  await runNodeType(validate, { value: 'a', schema: { pattern: 'a' } });
  expect(await runNodeType(validate, { value: 'b', schema: { format: 'pattern a' } })).toMatchObject({
    outputs: { valid: { value: 'b' } },
  });
});
