import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  anyMatchedText,
  anyPattern,
  anyUnicodePattern,
  anyUnicodeText,
} from '../../../tests/support/any-pattern.ts';
import { cases } from '../../../tests/support/deep.ts';
import { compilePattern } from '../src/compile-pattern.ts';
import { search } from '../src/search.ts';

/** The match and its groups, with where they start: as `RegExp.exec` gives them. */
const find = (pattern: RegExp, text: string, from: number): unknown => {
  const captures = search(compilePattern(pattern), text, from, () => {});
  if (captures === null) return null;
  const groups = captures.flatMap((start, slot) => {
    const end = captures[slot + 1] ?? -1;
    if (slot % 2 === 1) return [];
    return [start === -1 || end === -1 ? null : text.slice(start, end)];
  });
  return { index: captures[0], groups };
};

const execute = (pattern: RegExp, text: string, from: number): unknown => {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? null : { index: match.index, groups: Array.from(match, (group) => group ?? null) };
};

const steps = (source: string, text: string, limit = Number.POSITIVE_INFINITY): number => {
  let sum = 0;
  search(compilePattern(new RegExp(source, 'g')), text, 0, (more) => {
    sum += more;
    if (sum > limit) throw new RangeError('enough');
  });
  return sum;
};

test.each([
  ['as units', anyPattern, ['g', 'gi', 'gm', 'gim'], anyMatchedText],
  ['as code points', anyUnicodePattern, ['gu', 'gmu'], anyUnicodeText],
] as const)('finds what JavaScript’s RegExp finds, groups included, %s', (_how, patterns, flags, texts) => {
  fc.assert(
    fc.property(patterns, fc.constantFrom(...flags), texts, fc.nat(4), (source, flag, text, from) => {
      let pattern: RegExp;
      try {
        pattern = new RegExp(source, flag);
      } catch {
        return; // two groups of one name, or with the flag u a needless escape
      }
      const isWithin =
        /[\ud800-\udbff]$/.test(text.slice(0, from)) && /^[\udc00-\udfff]/.test(text.slice(from));
      if (flag.includes('u') && isWithin) return; // a search begins at a character
      expect(find(pattern, text, from)).toEqual(execute(pattern, text, from));
    }),
    { numRuns: cases(500, 20_000) },
  );
});

test.each<[RegExp, string, number]>([
  [/(a|ab)(c|bcd)(d*)/g, 'abcd', 0], // the first alternative that fits, not the longest
  [/(a+?)(a*)/g, 'aaa', 0],
  [/(?:(a)|(b))*/g, 'ab', 0], // groups of earlier rounds are empty
  [/(z)((a+)?(b+)?(c))*/g, 'zaacbbbcac', 0],
  [/^a|b$/g, 'ba ab', 1],
  [/^b/gm, 'a\nb', 0],
  [/a$/gm, 'a\u2028b', 0],
  [/\bfoo\b/g, 'xfoo foo_ foo', 0],
  [/\Boo/g, 'oo foo', 0],
  [/x*/g, 'aaa', 3],
  [/(a*)*/g, 'b', 0],
  [/(?:a?)*?b/g, 'aab', 0],
  [/^/g, 'a', 1],
  [/$/g, '', 0],
  [/a/g, 'ba', 2],
])('%s in %j from %i', (pattern, text, from) => {
  expect(find(pattern, text, from)).toEqual(execute(pattern, text, from));
});

test.each(['\\1', '\\7(a)', '[)(]\\1', 'a{,2}', '\\k', '(\\()\\2'])('/%s/ means the same', (source) => {
  const pattern = new RegExp(source, 'g');
  for (const text of ['a', '\u0001', '\u0007a', '(\u0001', 'a{,2}', 'k', '(\u0002'])
    expect(find(pattern, text, 0)).toEqual(execute(pattern, text, 0));
});

describe('the steps', () => {
  test.each([
    ['(a+)+$', 'a'.repeat(20_000)],
    ['(a|a)*b', 'a'.repeat(20_000)],
    ['([a-z]+)*=', 'x'.repeat(20_000)],
    ['(.*)(.*)(.*)(.*)(.*)x', 'y'.repeat(5_000)],
    ['^(\\s|\\s)*$', `${' '.repeat(20_000)}x`],
  ])('for /%s/ are at most the length of the text times the size of the pattern', (source, text) => {
    const { instructions } = compilePattern(new RegExp(source, 'g'));
    const taken = steps(source, `${text}!`);
    expect(taken).toBeGreaterThan(text.length / 8);
    expect(taken).toBeLessThan(text.length * instructions.length);
  });

  test('are a fraction of the text where no match can begin', () => {
    expect(steps('q+', 'a'.repeat(8_000))).toBeCloseTo(8_000 / 4 / 8, -1);
    expect(steps('^q', 'a'.repeat(8_000))).toBeLessThan(10);
  });

  test('are limited by their counter', () => {
    expect(() => steps('(a|a)*b', 'a'.repeat(20_000), 1_000)).toThrow('enough');
  });
});
