import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toWildcardTest } from '../../src/sources/pattern/leaf.ts';

test.each([
  ['a*bc*c', 'abc', false],
  ['a*bc*c', 'abcc', true],
  ['ab*ba', 'aba', false],
  ['ab*ba', 'abba', true],
  ['*', '', true],
  ['a*', 'a', true],
  ['', '', true],
  ['', 'a', false],
  ['\\*\\\\*', '*\\x', true],
  ['\\*', 'x', false],
])('%s for %s is %s', (pattern, text, isMatch) => {
  expect(toWildcardTest(pattern)(text)).toBe(isMatch);
});

/** The same by trying all choices of what each asterisk stands for. */
const matchesBySearch = (pattern: string, text: string): boolean => {
  if (pattern === '') return text === '';
  if (pattern.startsWith('*'))
    return Array.from({ length: text.length + 1 }, (_, at) => text.slice(at)).some((rest) =>
      matchesBySearch(pattern.slice(1), rest),
    );
  return text !== '' && pattern[0] === text[0] && matchesBySearch(pattern.slice(1), text.slice(1));
};

test('gives the same result as a search', () => {
  const aPattern = fc
    .array(fc.constantFrom('a', 'b', '*'), { maxLength: 7 })
    .map((characters) => characters.join('').replaceAll(/\*+/g, '*'));
  const aText = fc
    .array(fc.constantFrom('a', 'b'), { maxLength: 8 })
    .map((characters) => characters.join(''));
  fc.assert(
    fc.property(aPattern, aText, (pattern, text) => {
      expect(toWildcardTest(pattern)(text)).toBe(matchesBySearch(pattern, text));
    }),
    { numRuns: 1_000 },
  );
});
