import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createMeasureJson } from '../../lib/engine/measure-json.ts';

describe('measuring JSON', () => {
  test('accepts everything in JSON, freezes it, and approximates its size', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const copy = JSON.parse(text);
        const bytes = createMeasureJson()(copy);
        expect(JSON.stringify(copy)).toBe(text);
        expect(Object.isFrozen(copy)).toBe(true);
        expect(bytes).toBeGreaterThanOrEqual(text.length / 8);
        expect(bytes).toBeLessThanOrEqual(text.length * 8);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each<[unknown, number]>([
    ['text', 6],
    [-1.5, 4],
    [false, 5],
    [null, 4],
    [[], 2],
    [{}, 2],
    [[1, 'a'], 8],
    [{ ab: 1, c: [] }, 16],
    [[{ a: [null] }], 17],
  ])('counts %j as %d bytes, the second time too', (value, bytes) => {
    const measure = createMeasureJson();
    expect([measure(value), measure(value), createMeasureJson()(value)]).toEqual([bytes, bytes, bytes]);
  });

  const nest = (levels: number, inner: unknown, wrap: (value: unknown) => unknown): unknown =>
    levels === 0 ? inner : nest(levels - 1, wrap(inner), wrap);
  const large = () => ({ text: 'x'.repeat(300) });

  test.each<[string, (value: unknown) => unknown]>([
    ['lists', (value) => [1, value, 2]],
    ['maps', (value) => ({ a: 1, value, z: 2 })],
  ])('accepts %s nested 1000 levels deep, and no more, however they came to be', (_case, wrap) => {
    const measure = createMeasureJson();
    expect(() => measure(nest(999, large(), wrap))).not.toThrow();
    expect(() => measure(nest(1_000, large(), wrap))).toThrow('nested deeper than 1000 levels');
    const known = nest(600, large(), wrap);
    expect(() => measure([[], known, {}])).not.toThrow();
    expect(() => measure(nest(399, known, wrap))).not.toThrow();
    expect(() => measure(nest(400, known, wrap))).toThrow('nested deeper than 1000 levels');
    expect(() => measure([[], { other: nest(398, known, wrap) }])).toThrow('nested deeper');
  });

  test('says where a value is, after others and another failure', () => {
    const measure = createMeasureJson();
    expect(() => measure({ a: [{}, undefined] })).toThrow('undefined at /a/1 ');
    expect(() => measure({ a: [{}, { b: 1 }], 'c/~d': { e: [[], Number.NaN] } })).toThrow(
      "NaN at /c~1~0d/e/1 can't be carried by JSON",
    );
    expect(() => measure(() => {})).toThrow('function at the top ');
    expect(() => measure(Object.create(Object.create(null)))).toThrow(
      'an instance of an unknown class at the top',
    );
  });

  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'undefined at the top'],
    ['a symbol', { a: Symbol('x') }, 'symbol at /a'],
    ['infinity', { a: [Number.POSITIVE_INFINITY] }, 'Infinity at /a/0'],
    ['an instance', { a: /x/ }, 'an instance of RegExp at /a'],
    ['a typed array', { a: new Uint8Array(2) }, 'an instance of Uint8Array at /a'],
  ])('refuses %s, and says where it is', (_case, value, message) => {
    expect(() => createMeasureJson()(value)).toThrow(message);
  });

  test('refuses circular and too deeply nested values', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(() => createMeasureJson()(circle)).toThrow('nested deeper than 1000 levels, or inside itself');
    expect(() => createMeasureJson()(JSON.parse(`${'['.repeat(1_500)}${']'.repeat(1_500)}`))).toThrow(
      'nested deeper',
    );
  });

  test('refuses a throwing getter with its own error', () => {
    const odd = {
      get a() {
        throw new Error('no');
      },
    };
    expect(() => createMeasureJson()(odd)).toThrow('no');
  });

  test('treats an object without a prototype as an object', () => {
    const bare = Object.assign(Object.create(null), { a: 1 });
    expect(createMeasureJson()(bare)).toBeGreaterThan(0);
    expect(() => createMeasureJson()(Object.create({ inherited: 1 }))).toThrow("can't be carried");
  });
});
