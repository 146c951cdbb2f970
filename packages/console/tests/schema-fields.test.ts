import { describe, expect, test } from '@jest/globals';
import { toOutputFields } from '../src/views/reference/output-fields.ts';
import { type SchemaField, toSchemaFields } from '../src/views/reference/schema-fields.ts';

/** The one field of an object with this schema. */
const fieldOf = (schema: unknown, required: readonly string[] = []): SchemaField | undefined =>
  toSchemaFields({ type: 'object', properties: { a: schema }, required }).groups[0]?.[0];

describe('a key of a schema has', () => {
  test.each([
    ['string', { type: 'string' }],
    ['array of string', { type: 'array', items: { type: 'string' } }],
    ['array', { type: 'array', items: {} }],
    ['string or number', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['string or null', { type: ['string', 'null'] }],
    ['string', { enum: ['a', 'b'] }],
    ['null', { const: null }],
    ['any', {}],
    ['any', 'no schema'],
  ])('the type %s', (type, schema) => {
    expect(fieldOf(schema)?.type).toBe(type);
  });

  test.each([
    [['"a"', '1'], { enum: ['a', 1] }],
    [['"a"', '"b"'], { oneOf: [{ const: 'a' }, { const: 'b' }] }],
    [[], { oneOf: [{ const: 'a' }, { type: 'number' }] }],
    [['false'], { const: false }],
  ])('the allowed values %j', (allowed, schema) => {
    expect(fieldOf(schema)?.allowed).toEqual(allowed);
  });

  test('its bounds in words', () => {
    const schema = {
      minimum: 1,
      maximum: 31_622_400,
      minLength: 1,
      maxLength: 1,
      minItems: 2,
      pattern: '^a',
    };
    expect(fieldOf(schema)?.limits).toEqual([
      'at least 1',
      'at most 31,622,400',
      'not empty',
      'at most 1 character',
      'at least 2 items',
      'matches ^a',
    ]);
  });

  test('a default, which is why it is not required', () => {
    expect(fieldOf({ default: null }, ['a'])).toMatchObject({ isRequired: false, initial: 'null' });
    expect(fieldOf({}, ['a'])).toMatchObject({ isRequired: true, initial: null });
    expect(fieldOf({})).toMatchObject({ isRequired: false });
  });

  test.each([
    ['of an object', { type: 'object', properties: { b: {} } }],
    ['of the items of a list', { type: 'array', items: { properties: { b: {} } } }],
    ['of the values of a map', { additionalProperties: { properties: { b: {} } } }],
    ['of keys with a pattern', { patternProperties: { '^x': { properties: { b: {} } } } }],
  ])('the keys %s', (_, schema) => {
    expect(fieldOf(schema)?.groups).toMatchObject([[{ name: 'b' }]]);
  });

  test('a group for each shape', () => {
    const schema = { anyOf: [{ properties: { b: {} } }, { type: 'string' }, { properties: { c: {} } }] };
    expect(fieldOf(schema)?.groups).toMatchObject([[{ name: 'b' }], [{ name: 'c' }]]);
  });
});

test('a choice among keys is a sentence', () => {
  const choose = (keyword: string) => ({
    type: 'object',
    properties: { seconds: {}, until: {} },
    [keyword]: [{ required: ['seconds'] }, { required: ['until'] }, { not: {} }],
  });
  expect(toSchemaFields(choose('oneOf')).choice).toBe('Exactly one of these is required: seconds, until.');
  expect(toSchemaFields(choose('anyOf')).choice).toBe('At least one of these is required: seconds, until.');
  expect(toSchemaFields({ properties: {} })).toEqual({ groups: [], choice: null });
});

test.each([null, 1, 'text', [], undefined])('%j is a schema without keys', (schema) => {
  expect(toSchemaFields(schema)).toEqual({ groups: [], choice: null });
});

test('a schema that holds itself ends', () => {
  const schema: Record<string, unknown> = { properties: {} };
  schema.properties = { a: schema };
  schema.items = schema;
  expect(JSON.stringify(toSchemaFields(schema)).split('"name":"a"').length).toBeLessThan(20);
});

/** Each field with its type, indented as it is nested. */
const outline = (fields: readonly SchemaField[], indent = ''): readonly string[] =>
  fields.flatMap(({ name, type, description, groups }) => [
    `${indent}${name} (${type})${description === '' ? '' : `: ${description}`}`,
    ...outline(groups.flat(), `${indent}  `),
  ]);

test('outputs have their fields, the cases of a parameter, and what is taken from the input', () => {
  const item = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, note: {} } };
  const append = {
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', items: item } },
  };
  const schemas = {
    main: { by: 'mode', cases: { merge: { $ref: '#input' }, append } },
    each: { merged: [{ $ref: '#input' }, { type: 'object', properties: { at: { type: 'integer' } } }] },
    rows: { ifGiven: 'sql', cases: { given: { type: 'object' } } },
  };
  expect(outline(toOutputFields(['main', 'each', 'rows', 'error'], schemas))).toEqual([
    'main (depends on `mode`)',
    '  with `mode` `merge` (its input)',
    '  with `mode` `append` (object)',
    '    items (array of object)',
    '      id (string)',
    '      note (any JSON): May be absent',
    'each (its input and these fields)',
    '  at (integer): May be absent',
    'rows (depends on `sql`)',
    '  with `sql` (object)',
    'error (any JSON)',
  ]);
});
