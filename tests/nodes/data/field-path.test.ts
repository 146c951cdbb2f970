import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  parseFieldPath,
  readField,
  removeField,
  toPointer,
  writeField,
} from '../../../nodes/data/field-paths.ts';

const own: JsonValue = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');

const readCases: readonly (readonly [JsonValue, string, JsonValue | undefined])[] = [
  [{ a: { b: 1 } }, 'a.b', 1],
  [{ a: [{ b: 1 }, { b: 2 }] }, 'a.1.b', 2],
  [{ a: { b: 1 } }, '/a/b', 1],
  [{ 'a.b': 1 }, '/a.b', 1],
  [{ 'a/b': 1, 'm~n': 2 }, '/a~1b', 1],
  [{ 'a/b': 1, 'm~n': 2 }, '/m~0n', 2],
  [{ '': 1 }, '/', 1],
  [{ a: null }, 'a', null],
  [{ a: null }, 'a.b', undefined],
  [{ a: 'text' }, 'a.0', undefined],
  [{ a: [1] }, 'a.length', undefined],
  [{ a: [1] }, 'a.1', undefined],
  [{ a: [1] }, 'a.00', undefined],
  [{}, 'toString', undefined],
  [{}, '__proto__', undefined],
  [own, '__proto__.a', 1],
  [own, 'constructor', 2],
];

test.each(readCases)('%j at %s is %j', (value, path, expected) => {
  expect(readField(value, parseFieldPath(path, 'field'))).toEqual(expected);
});

test.each(['', '.', 'a.', '.a', 'a..b', '/~', '/a~2'])('%j is not a path', (path) => {
  expect(() => parseFieldPath(path, 'by[0].field')).toThrow(
    /^Parameter "by\[0\]\.field" must be a path such as/,
  );
});

const writeCases: readonly (readonly [JsonValue, string, JsonValue])[] = [
  [{}, 'a.b', { a: { b: 0 } }],
  [{ a: { c: 1 } }, 'a.b', { a: { c: 1, b: 0 } }],
  [{ a: [1, { b: 2 }] }, 'a.1.b', { a: [1, { b: 0 }] }],
  [{}, '__proto__', JSON.parse('{"__proto__": 0}')],
  [{}, '__proto__.a', JSON.parse('{"__proto__": {"a": 0}}')],
];

test.each(writeCases)('%j with 0 at %s is %j', (value, path, expected) => {
  const written = writeField(value, parseFieldPath(path, 'field'), 0);
  expect(JSON.stringify(written)).toBe(JSON.stringify(expected));
});

test.each([
  [{ a: 1 }, 'a.b'],
  [{ a: [1] }, 'a.1'],
  [{ a: null }, 'a.b'],
])('%j has no room at %s', (value, path) => {
  expect(() => writeField(value, parseFieldPath(path, 'field'), 0)).toThrow(RangeError);
});

const removeCases: readonly (readonly [JsonValue, string, JsonValue])[] = [
  [{ a: 1, b: 2 }, 'a', { b: 2 }],
  [{ a: { b: 1, c: 2 } }, 'a.b', { a: { c: 2 } }],
  [{ a: [1, 2, 3] }, 'a.1', { a: [1, 3] }],
  [{ a: 1 }, 'b.c', { a: 1 }],
  [own, '__proto__', { constructor: 2 }],
];

test.each(removeCases)('%j without %s is %j', (value, path, expected) => {
  expect(JSON.stringify(removeField(value, parseFieldPath(path, 'field')))).toBe(JSON.stringify(expected));
});

describe('for any keys', () => {
  const keys = fc.array(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a/b', '~', '~1')), {
    minLength: 1,
    maxLength: 4,
  });

  test('a pointer finds its value, writes are read back, and removed values are absent', () => {
    fc.assert(
      fc.property(keys, (path) => {
        expect(parseFieldPath(toPointer(path), 'field')).toEqual(path);
        const written = writeField({}, path, 1);
        expect(readField(written, path)).toBe(1);
        expect(readField(removeField(written, path), path)).toBeUndefined();
        expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      }),
    );
  });
});
