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
import { patterns, texts } from './any-cases.ts';

/** The match and its groups, with where they start: as `RegExp.exec` gives them. */
const find = (pattern: RegExp, text: string, from: number, program = compilePattern(pattern)): unknown => {
  const captures = search(program, text, from, () => {});
  if (captures === null) return null;
  const groups = captures.flatMap((start, slot) => {
    const end = captures[slot + 1] ?? -1;
    if (slot % 2 === 1) return [];
    return [start === -1 ? null : text.slice(start, end)];
  });
  return { index: captures[0], groups };
};

const execute = (pattern: RegExp, text: string, from: number): unknown => {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? null : { index: match.index, groups: Array.from(match, (group) => group ?? null) };
};

/** Whether an offset is within a surrogate pair, where no search begins. */
const isWithinPair = (text: string, offset: number): boolean =>
  /[\ud800-\udbff]$/.test(text.slice(0, offset)) && /^[\udc00-\udfff]/.test(text.slice(offset));

const steps = (source: string, text: string, limit = Number.POSITIVE_INFINITY): number => {
  let sum = 0;
  search(compilePattern(new RegExp(source, 'g')), text, 0, (more) => {
    sum += more;
    if (sum > limit) throw new RangeError('enough');
  });
  return sum;
};

test.each(patterns)('%s finds what JavaScript’s RegExp finds, groups included', (pattern) => {
  const places = texts.flatMap((text) =>
    [0, 1, 2]
      .filter((from) => from <= text.length && !isWithinPair(text, from))
      .map((from) => ({ text, from })),
  );
  const program = compilePattern(pattern);
  const findAll = (by: typeof find) =>
    places.map(({ text, from }) => ({ text, from, found: by(pattern, text, from, program) }));
  expect(findAll(find)).toEqual(findAll(execute));
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

describe('the steps', () => {
  test.each<[string, string, number]>([
    // Instructions reached and units compared count 1; groups copied, offsets passed and the size of the pattern a fraction.
    ['a', 'b', 1],
    ['a', 'aaa', 9.25],
    ['a', 'bbba', 10],
    ['(a)(b)', 'ab', 27.625],
    ['(?:(a)|b)*c', 'abc', 56.625],
    ['a*', 'aa', 22.75],
    ['(?:a?)*', 'a', 24],
    ['(?:a*)*b', 'aab', 49],
    ['^a', 'a', 10.375],
    ['^a', 'ba', 4.875],
    ['\\bb', 'ab b', 22.125],
    ['a|b', 'b', 14.625],
    ['', 'abc', 4.875],
    ['[^a]|$', '', 9.375], // nothing is read at the end
  ])('for /%s/ in %j are an eighth of %d', (source, text, eighths) => {
    expect(steps(source, text)).toBe(eighths / 8);
  });

  test('are reported while it searches', () => {
    const reports: number[] = [];
    search(compilePattern(/(a|a)*b/g), 'a'.repeat(1_000), 0, (more) => reports.push(more));
    expect(reports.length).toBeGreaterThan(10);
    expect(Math.min(...reports.slice(0, -1))).toBeGreaterThan(125);
    expect(Math.max(...reports)).toBeLessThan(130);
  });

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
      if (flag.includes('u') && isWithinPair(text, from)) return;
      expect(find(pattern, text, from)).toEqual(execute(pattern, text, from));
    }),
    { numRuns: cases(500, 20_000) },
  );
});
