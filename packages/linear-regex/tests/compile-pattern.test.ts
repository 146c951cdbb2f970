import { describe, expect, test } from '@jest/globals';
import { compilePattern } from '../src/compile-pattern.ts';
import { characters, singleCharacters } from './any-cases.ts';

const lookaround = 'lookahead and lookbehind, (?=…) (?!…) (?<=…) (?<!…), are not supported';
const flags = 'flags within a pattern, (?i:…), are not supported';
const references = 'backreferences, such as \\1 and \\k<name>, are not supported';
const tooLarge = 'it is too large: nested repetition counts multiply';

const nested = (depth: number) => `${'(?:'.repeat(depth)}a*${')*'.repeat(depth)}`;

describe('a pattern is refused', () => {
  test.each<[string, string, string]>([
    ...['(?=a)', '(?!a)', '(?<=a)', '(?<!a)', '(?<=(?<n>a))'].map((source): [string, string, string] => [
      '',
      source,
      lookaround,
    ]),
    ['', String.raw`\1(?<=a)`, lookaround], // no group, so no reference
    ['', String.raw`\1(?<!a)`, lookaround],
    ['', '(?i:a)', flags],
    ['', '(?-i:a)', flags],
    ['', String.raw`(a)\1`, references],
    ['', String.raw`\1(a)`, references],
    ['', String.raw`\1(?<n>a)`, references],
    ['', String.raw`\1(?<n>a)=`, references], // no lookbehind, (?<=
    ['', String.raw`[(](a)\1`, references],
    ['', String.raw`[\]](a)\1`, references],
    ['', String.raw`${'()'.repeat(12)}\12`, references],
    ['', String.raw`(?<n>a)\k<n>`, references],
    ['u', String.raw`\k<n>(?<n>a)`, references],
  ])('when it needs backtracking or flags: %s /%s/', (mode, source, reason) => {
    expect(() => compilePattern(new RegExp(source, mode))).toThrow(
      expect.objectContaining({ name: 'UnsupportedPattern', message: reason }),
    );
  });

  test.each(['s', 'v', 'y', 'iu', 'imu', 'imsu'])('when it has the flags %s', (mode) => {
    expect(() => compilePattern(new RegExp('a.b', mode))).toThrow('its flags are not supported');
  });

  test('when it has more than 10,000 instructions', () => {
    expect(compilePattern(/a{10000}/).instructions).toHaveLength(10_003);
    for (const source of ['a{10001}', '(?:a{100}){101}', '(?:a?){10000}', `${'a'.repeat(10_001)}`])
      expect(() => compilePattern(new RegExp(source))).toThrow(tooLarge);
  });

  test('when more than six nested iterations must not be empty', () => {
    expect(compilePattern(new RegExp(nested(6))).rounds).toBe(6);
    expect(() => compilePattern(new RegExp(nested(7)))).toThrow(tooLarge);
  });
});

test.each<[RegExp, number]>([
  [/(?:ab*)*/, 0],
  [/(?:a|b)*/, 0],
  [/(a)*/, 0],
  [/(?:a{2})*/, 0],
  [/(?:a?){3}/, 0],
  [/(?:a{0,2}b?)*/, 1],
  [/(?:a|b?)*/, 1],
  [/(a?)*/, 1],
  [/(?:\b)*/, 1],
  [/(?:)*/, 1],
  [/(?:(?:a?){2})*/, 1],
  [/(?:a*)*(?:b*)*/, 1],
  [/((a*)*b?)?/, 2],
])('%s has nested iterations that must not be empty: %i', (pattern, rounds) => {
  expect(compilePattern(pattern).rounds).toBe(rounds);
});

test.each<[RegExp, string | null]>([
  [/a/, 'a'],
  [/[ab]c/, 'ab'],
  [/(a|bc)d/, 'ab'],
  [/a?b/, 'ab'],
  [/a*b|c/, 'abc'],
  [/(?:(a)|b)+?c/, 'ab'],
  [/(?:a*)*b/, 'ab'],
  [/a*/, null],
  [/a|/, null],
  [/\ba/, null],
  [/^a/, null],
])('a match of %s begins with one of %j', (pattern, letters) => {
  const { first } = compilePattern(pattern);
  const found = [...'abcd'].filter((letter) => first?.some((set) => set.has(letter.charCodeAt(0))));
  expect(first === null ? null : found.join('')).toBe(letters);
});

test.each<[RegExp, boolean]>([
  [/^a/, true],
  [/^/, true],
  [/^a/m, false],
  [/^a|b/, false],
  [/a^/, false],
  [/$/, false],
  [/\ba/, false],
])('whether %s matches only at the start of a text: %j', (pattern, anchored) => {
  expect(compilePattern(pattern).anchored).toBe(anchored);
});

test('characters match as in JavaScript’s RegExp', () => {
  const differences = singleCharacters.flatMap((pattern) => {
    const { first } = compilePattern(pattern);
    const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags);
    return characters
      .filter((code) => pattern.unicode || code <= 0xffff)
      .filter((code) => first?.some((set) => set.has(code)) !== whole.test(String.fromCodePoint(code)))
      .map((code) => `${pattern} ${code.toString(16)}`);
  });
  expect(differences).toEqual([]);
});
