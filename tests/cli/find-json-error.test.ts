import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findJsonError } from '../../cli/find-json-error.ts';

test.each<[string, number]>([
  ['', 0],
  ['  ', 2],
  ['tru', 0],
  ['nope', 0],
  ['{"a":}', 5],
  ['{"a" 1}', 5],
  ['{"a":1', 6],
  ['{"a":1,}', 7],
  ['{a:1}', 1],
  ['{1:1}', 1],
  ['{,}', 1],
  ['[1,]', 3],
  ['[,1]', 1],
  ['[1 2]', 3],
  ['[1}', 2],
  ['{"a":1]', 6],
  ['{"a"}', 4],
  ['1 2', 2],
  ['[]]', 2],
  ['01', 1],
  ['1.', 1],
  ['-', 0],
  ['+1', 0],
  ['"open', 5],
  ['"a\nb"', 2],
  ['"\\x"', 1],
  ['"\\u12"', 1],
  ["{'a':1}", 1],
  ['\uFEFF{}', 0],
  ['{} // comment', 3],
])('%j stops being JSON at %d', (text, at) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(findJsonError(text)).toBe(at);
});

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** JSON with a few characters replaced, taken out or put in: some of it still is JSON. */
const almostJson = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.array(
      fc.tuple(fc.nat(), fc.nat({ max: 1 }), fc.constantFrom('', ...'{}[]:,"\\ \n\t019.eE+-tnu\u0000é')),
      { maxLength: 3 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((before, [place, length, piece]) => {
      const at = place % (before.length + 1);
      return before.slice(0, at) + piece + before.slice(at + length);
    }, text),
  );

test('finds an error in what JSON.parse refuses, and in nothing else', () => {
  fc.assert(
    fc.property(almostJson, (text) => {
      expect(findJsonError(text) === null).toBe(isJson(text));
    }),
    { numRuns: 3_000 },
  );
});

test('everything before the place of the error could have become JSON', () => {
  fc.assert(
    fc.property(almostJson, (text) => {
      const at = findJsonError(text);
      if (at === null) return;
      expect([null, at]).toContain(findJsonError(text.slice(0, at)));
    }),
    { numRuns: 1_000 },
  );
});

test('takes strings and nesting of any length', () => {
  expect(findJsonError(`["${'é\\n'.repeat(500_000)}"`)).toBe(1_500_003);
  expect(findJsonError(`${'['.repeat(500_000)}${']'.repeat(499_999)}`)).toBe(999_999);
});
