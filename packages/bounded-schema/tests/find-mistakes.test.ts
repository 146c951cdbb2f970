import { expect, test } from '@jest/globals';
import { findErrors, findMistakes, type JsonMap } from '../index.ts';

const order: JsonMap = {
  $defs: { line: { type: 'object', required: ['price'], properties: { price: { minimum: 0 } } } },
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id: { type: 'string' }, 'a/b': { items: { $ref: '#/$defs/line' } } },
};

test('a mistake has its place in the value, and the keyword with its schema', () => {
  const value = { 'a/b': [{ price: 1 }, { price: -1 }] };
  expect(findMistakes(order, { id: 'x', ...value })).toEqual([
    {
      place: '/a~1b/1/price',
      keyword: 'minimum',
      keywordPlace: '/properties/a~1b/items/$ref/properties/price/minimum',
      limit: 0,
      schema: { minimum: 0 },
      value: -1,
      key: null,
      matches: 0,
    },
  ]);
});

test.each<[string, JsonMap, unknown, (readonly [keyword: string, place: string, key: string | null])[]]>([
  [
    'a missing key and an unknown one',
    order,
    { 'x"y': 1 },
    [
      ['required', '', 'id'],
      ['additionalProperties', '', 'x"y'],
    ],
  ],
  [
    'a key that no schema accepts',
    { unevaluatedProperties: false },
    { a: 1 },
    [['unevaluatedProperties', '', 'a']],
  ],
  [
    'a key by the schema of all others',
    { additionalProperties: { type: 'string' } },
    { a: 1 },
    [['type', '/a', null]],
  ],
  ['a name', { propertyNames: { maxLength: 1 } }, { ab: 1 }, [['maxLength', '/ab', null]]],
  ['a value that is to be absent', { properties: { a: false } }, { a: 1 }, [['false', '/a', null]]],
  ['a constant object', { const: {} }, null, [['const', '', null]]],
  [
    'alternatives: those of each, then their own',
    { anyOf: [{ type: 'string' }, { properties: { a: { type: 'string' } } }] },
    { a: 1 },
    [
      ['type', '', null],
      ['type', '/a', null],
      ['anyOf', '', null],
    ],
  ],
  ['a key of undefined is missing', { required: ['a'] }, { a: undefined }, [['required', '', 'a']]],
])('%s', (_case, schema, value, expected) => {
  expect(findMistakes(schema, value).map(({ keyword, place, key }) => [keyword, place, key])).toEqual(
    expected,
  );
});

test('for oneOf, the number of matching schemas is known', () => {
  const schema = { oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 9 }] };
  expect(findMistakes(schema, 5).at(-1)).toMatchObject({ keyword: 'oneOf', matches: 2 });
});

test('the schema is not changed, and can be used again', () => {
  const schema = Object.freeze({
    $ref: '#/$defs/a',
    $defs: Object.freeze({ a: Object.freeze({ type: 'string' }) }),
  });
  for (let time = 0; time < 2; time += 1) expect(findMistakes(schema, 1)).toHaveLength(1);
});

test('an invalid schema is refused with its place', () => {
  expect(() => findMistakes({ properties: { a: { type: 'text' } } }, {})).toThrow(
    '/properties/a/type must be one of',
  );
});

test('a mistake here is also a violation in the bounded check', () => {
  expect(findErrors(order, {}).map(({ keyword }) => keyword)).toEqual(['required']);
});
