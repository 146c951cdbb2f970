import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type JsonObject, type JsonValue, jsonEquals } from '../contract/json.ts';

/** JSON of which two draws are often alike. */
const smallJson = fc
  .letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<JsonValue>(null, true, false, 0, 1, '', '1', 'a'),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'length', '0', '__proto__'), tie('value'), { maxKeys: 2 }),
    ),
  }))
  // As data arrives: with the usual prototype, and __proto__ as a key of its own.
  .value.map((value): JsonValue => JSON.parse(JSON.stringify(value)));

/** The same with the keys of all its objects the other way round. */
const reversed = (value: JsonValue): JsonValue => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const entries = Object.entries(value as JsonObject).map(([key, inner]) => [key, reversed(inner)] as const);
  return Object.fromEntries(entries.reverse());
};

describe('jsonEquals', () => {
  test('agrees with the deep equality of the platform', () => {
    fc.assert(
      fc.property(smallJson, smallJson, (left, right) => {
        expect(jsonEquals(left, right)).toBe(isDeepStrictEqual(left, right));
      }),
      { numRuns: 500 },
    );
  });

  test('the order of keys does not matter', () => {
    fc.assert(fc.property(smallJson, (value) => jsonEquals(value, reversed(value))));
  });

  test.each<[JsonValue, JsonValue]>([
    [1, '1'],
    [0, false],
    [null, 0],
    [null, {}],
    [[], {}],
    [{}, []],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, null]],
    [{ a: null }, {}],
    [{ a: null }, { b: null }],
    [{ length: 0 }, []],
  ])('%j is not %j', (left, right) => {
    expect(jsonEquals(left, right)).toBe(false);
  });

  test('0 and -0 are the same number, as in JSON', () => {
    expect(jsonEquals(0, -0)).toBe(true);
  });
});
