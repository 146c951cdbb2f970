import type { JsonValue } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { printJson } from '../../../authoring/reference/print-node-type.ts';

test.each<[JsonValue, string]>([
  [{}, '{}'],
  [[], '[]'],
  [{ a: [1, 'x', null], b: { c: true } }, '{ "a": [1, "x", null], "b": { "c": true } }'],
  ['"\n', '"\\"\\n"'],
])('%j is on one line', (value, text) => {
  expect(printJson(value)).toBe(text);
});

test('what is too wide is broken, what is within it only where it is too wide itself', () => {
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
