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
