import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../lib/contract/json.ts';
import {
  readBoolean,
  readChoice,
  readMap,
  readNumber,
  readString,
  wrongParameter,
} from '../../lib/nodes/parameters.ts';

const rule = { min: 1, max: 3, byDefault: 2 };
const choices = ['a', 'b'] as const;

describe('reading a parameter', () => {
  test('gives what is there', () => {
    const parameters = { text: '', flag: false, map: { a: null }, number: 1.5, choice: 'b' };
    expect(readString(parameters, 'text', 'x')).toBe('');
    expect(readBoolean(parameters, 'flag', true)).toBe(false);
    expect(readMap(parameters, 'map', {})).toEqual({ a: null });
    expect(readNumber(parameters, 'number', rule)).toBe(1.5);
    expect(readChoice(parameters, 'choice', choices, 'a')).toBe('b');
  });

  test('gives the default when it is absent', () => {
    expect(readString({}, 'p', 'x')).toBe('x');
    expect(readBoolean({}, 'p', true)).toBe(true);
    expect(readMap({}, 'p', { a: 1 })).toEqual({ a: 1 });
    expect(readNumber({}, 'p', rule)).toBe(2);
    expect(readChoice({}, 'p', choices, 'a')).toBe('a');
  });

  test('null is not absent', () => {
    expect(() => readString({ p: null }, 'p', 'x')).toThrow('Parameter "p" must be a string, got null');
    expect(() => readNumber({ p: null }, 'p', rule)).toThrow('must be a number from 1 to 3, got null');
  });

  test('without a default it is required', () => {
    expect(() => readString({}, 'p')).toThrow('Parameter "p" must be a string, got nothing');
    expect(() => readBoolean({}, 'p')).toThrow('Parameter "p" must be true or false, got nothing');
    expect(() => readMap({}, 'p')).toThrow('Parameter "p" must be a map, got nothing');
  });

  test('numbers are within their bounds, which belong to them', () => {
    for (const p of [1, 3]) expect(readNumber({ p }, 'p', rule)).toBe(p);
    for (const p of [0.99, 3.01]) expect(() => readNumber({ p }, 'p', rule)).toThrow(RangeError);
    expect(() => readNumber({ p: 1.5 }, 'p', { ...rule, integer: true })).toThrow('an integer from 1 to 3');
  });

  test.each<[JsonValue | undefined, string]>([
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'array'],
    [{}, 'object'],
    ['hunter2', 'string'],
    [4111, 'number'],
    [true, 'boolean'],
  ])('tells the type of %j, and nothing more', (got, type) => {
    expect(wrongParameter('p', 'x', got)).toEqual(new TypeError(`Parameter "p" must be x, got ${type}`));
  });
});
