import { describe, expect, test } from '@jest/globals';
import { compileJsonSchema } from '../src/compile-json-schema.ts';

const ID = '8202522731445525542';

const keywordsOf = (schema: object, value: unknown): readonly string[] =>
  compileJsonSchema(schema as never)({ a: value }).map(({ keyword }) => keyword);

const of = (property: object) => ({ properties: { a: property } });

describe("a string of digits that a number can't hold counts as an integer", () => {
  test.each<[object, unknown, readonly string[]]>([
    [{ type: 'integer' }, ID, []],
    [{ type: 'number' }, `-${ID}`, []],
    [{ type: ['integer', 'null'] }, ID, []],
    [{ type: 'integer', minimum: 1 }, ID, []],
    [{ type: 'integer', minimum: 1 }, `-${ID}`, ['minimum']],
    [{ type: 'integer', maximum: Number.MAX_SAFE_INTEGER }, '9007199254740992', ['maximum']],
    [{ type: 'integer', exclusiveMaximum: 0 }, `-${ID}`, []],
    [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 }, ID, ['exclusiveMaximum']],
    [{ type: 'integer', multipleOf: 7 }, '49049049049049049049', []],
    [{ type: 'integer', multipleOf: 7 }, '49049049049049049050', ['multipleOf']],
    [{ maximum: 10 }, ID, ['maximum']],
    [{ maximum: 10 }, 'a text', []],
    [{ type: ['string', 'integer'], maximum: 10 }, ID, ['maximum']],
    [{ type: 'integer', enum: [1, 2] }, ID, ['enum']],
    [{ type: 'integer', const: ID }, ID, []],
    [{ type: 'string' }, ID, []],
    [{ type: 'boolean' }, ID, ['type']],
    [{ type: 'integer', format: 'int64' }, ID, []],
    [{ not: { type: 'integer' } }, ID, ['not']],
  ])('%j: %s', (schema, value, keywords) => {
    expect(keywordsOf(of(schema), value)).toEqual(keywords);
  });
});

describe('no other string does', () => {
  test.each(['7', '9007199254740991', '08202522731445525542', `${ID}.0`, `${ID} `, 'a', '', '1e30'])(
    '%j',
    (text) => {
      const [violation] = compileJsonSchema({ type: 'integer', minimum: 0 })(text);
      expect(violation).toEqual({
        pointer: '#',
        keyword: 'type',
        message: 'Instance type "string" is invalid. Expected "integer".',
      });
    },
  );
});

test.each<[object, unknown, string]>([
  [{ type: 'integer' }, true, 'Instance type "boolean" is invalid. Expected "integer".'],
  [{ type: ['integer', 'null'] }, true, 'Instance type "boolean" is invalid. Expected "integer", "null".'],
  [{ type: ['integer', 'null'] }, 'a', 'Instance type "string" is invalid. Expected "integer", "null".'],
  [{ type: 'integer', maximum: 9 }, ID, 'Number is greater than 9.'],
  [{ type: 'integer', maximum: 9 }, 10, '10 is greater than 9.'],
])('a message names what the schema says: %j, %j', (schema, value, message) => {
  expect(compileJsonSchema(schema as never)(value).map((one) => one.message)).toEqual([message]);
});

test('the digits that are checked are counted', () => {
  const find = compileJsonSchema({ type: 'integer', multipleOf: 7 });
  expect(() => find('7'.repeat(100_000), { maxWork: 50_000 })).toThrow('too many steps');
});
