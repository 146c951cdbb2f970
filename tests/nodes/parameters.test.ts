import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../lib/contract/json.ts';
import { readParameters, wrongParameter } from '../../lib/nodes/parameters.ts';

const properties = {
  text: { type: 'string', default: 'x' },
  flag: { type: 'boolean', default: true },
  map: { type: 'object', default: { a: 1 } },
  list: { type: 'array', default: [] },
  number: { type: 'number', minimum: 1, maximum: 3, default: 2 },
  choice: { enum: ['a', 'b'], default: 'a' },
  any: {},
} as const;

/** Reads the one parameter `p`. */
const read = (parameters: { readonly p?: JsonValue }, rule: object) =>
  readParameters(parameters, { p: rule }).p;

describe('reading parameters by a schema', () => {
  test('gives what is there, and no parameter that the schema does not name', () => {
    const given = { text: '', flag: false, map: { a: null }, list: [1], number: 1.5, choice: 'b', any: null };
    expect(readParameters({ ...given, other: 1 }, properties)).toEqual(given);
  });

  test('gives the default when it is absent', () => {
    const defaults = { text: 'x', flag: true, map: { a: 1 }, list: [], number: 2, choice: 'a' };
    expect(readParameters({}, properties)).toEqual(defaults);
  });

  test('null is not absent', () => {
    expect(() => readParameters({ text: null }, properties)).toThrow(
      'Parameter "text" must be a string, got null',
    );
    expect(() => readParameters({ number: null }, properties)).toThrow(
      'must be a number from 1 to 3, got null',
    );
  });

  test.each([
    [{ type: 'string' }, 'a string'],
    [{ type: 'boolean' }, 'true or false'],
    [{ type: 'object' }, 'a map'],
    [{ type: 'array' }, 'a list'],
    [{ type: 'integer', minimum: 0, maximum: 9 }, 'an integer from 0 to 9'],
    [{ enum: ['a', 'b'] }, 'one of a, b'],
  ])('%j without a default is required', (rule, expected) => {
    expect(() => read({}, rule)).toThrow(`Parameter "p" must be ${expected}, got nothing`);
  });

  test.each<[object, JsonValue]>([
    [{ type: 'object' }, []],
    [{ type: 'object' }, null],
    [{ type: 'array' }, {}],
    [{ type: 'boolean' }, 'true'],
    [{ type: 'integer', minimum: 0, maximum: 9 }, '1'],
    [{ enum: ['a', 'b'] }, 'c'],
  ])('%j refuses %j', (rule, p) => {
    expect(() => read({ p }, rule)).toThrow(TypeError);
  });

  test('numbers are within their bounds, which belong to them', () => {
    const rule = { type: 'number', minimum: 1, maximum: 3 };
    for (const p of [1, 3]) expect(read({ p }, rule)).toBe(p);
    for (const p of [0.99, 3.01]) expect(() => read({ p }, rule)).toThrow(RangeError);
    expect(() => read({ p: 1.5 }, { ...rule, type: 'integer' })).toThrow('an integer from 1 to 3');
  });

  test.each<[JsonValue | undefined, string]>([
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'array'],
    [{}, 'object'],
    ['hunter2', 'string'],
    [4111, 'number'],
    [true, 'boolean'],
  ])('an error has the type of %j, and nothing more', (got, type) => {
    expect(wrongParameter('p', 'x', got)).toEqual(new TypeError(`Parameter "p" must be x, got ${type}`));
  });
});
