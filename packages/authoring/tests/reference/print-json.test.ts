import type { JsonValue } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { printJson } from '../../reference/print-node-type.ts';

test.each<[JsonValue, string]>([
  [{}, '{}'],
  [[], '[]'],
  [{ a: [1, 'x', null], b: { c: true } }, '{ "a": [1, "x", null], "b": { "c": true } }'],
  ['"\n', '"\\"\\n"'],
])('%j fits on one line', (value, text) => {
  expect(printJson(value)).toBe(text);
});

test('values that are too wide are broken, nested ones only where needed', () => {
  const wide = 'x'.repeat(100);
  expect(printJson({ short: { a: 1 }, list: [wide, { b: 2 }] })).toBe(
    `{\n  "short": { "a": 1 },\n  "list": [\n    "${wide}",\n    { "b": 2 }\n  ]\n}`,
  );
});

test('any JSON is printed as JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.stringify(JSON.parse(printJson(value as JsonValue)))).toBe(JSON.stringify(value));
    }),
    { numRuns: 300 },
  );
});
