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
import { createMatcher } from '../src/create-matcher.ts';
import { patterns, texts } from './any-cases.ts';

/** The result, and the work that was counted. */
const match = (matches: ReturnType<typeof createMatcher>, text: string) => {
  let work = 0;
  const isMatch = matches(text, (more) => {
    work += more;
  });
  return { isMatch, work };
};

const matcherOf = (source: string, flags = '') => createMatcher(compilePattern(new RegExp(source, flags)));

/** Many different letters in an order that repeats late. */
const mixed = (length: number): string =>
  Array.from({ length }, (_, at) => 'ab'[((at * 2_654_435_761) >>> 16) & 1]).join('');

test.each(patterns)('%s matches where JavaScript’s RegExp matches, also with cached states', (pattern) => {
  const matches = createMatcher(compilePattern(pattern));
  const whole = new RegExp(pattern.source, pattern.flags.replace('g', ''));
  const found = texts.map((text) => ({ text, isMatch: match(matches, text).isMatch }));
  expect(found).toEqual(texts.map((text) => ({ text, isMatch: whole.test(text) })));
});

// holds: bounded-expressions
describe('the work', () => {
  test.each<[string, string, readonly number[]]>([
    // A quarter for each unit, then what a new class of units costs, and the instructions followed from a new state.
    ['a', 'b', [0.25, 1, 2, 2]],
    ['a', 'aaa', [0.75, 1, 2]],
    ['(a)(b)', 'ab', [0.5, 2, 3, 2, 6]],
    ['(?:(a)|b)*c', 'abc', [0.75, 3, 8, 3, 11, 3, 9]],
    ['(?:a?)*', 'a', [0.25, 1]],
    ['^a', 'ba', [0.5, 1, 3]],
    ['\\bb', 'ab b', [1, 1, 3, 1, 2, 1, 3, 3]],
    ['a|b', '\u0080é'.repeat(9), [4.5, 2, 4, 2, 4, 4]],
    ['b+.+c', 'abbbbbbabb', [2.5, 5, 2, 5, 2, 5, 9, 10, 10, 6, 9, 10]], // the order of instructions makes no other state
    ['a', '\0', [0.25, 1, 2, 2]],
    ['x', 'a b', [0.75, 1, 2, 1, 2, 1, 2]], // no assertion, so words and blanks are of one class
  ])('for /%s/ in %j is %j', (source, text, work) => {
    const spent: number[] = [];
    const matches = matcherOf(source);
    matches(text, (more) => spent.push(more));
    expect(spent.filter((more) => more > 0)).toEqual(work);
  });

  test.each([
    ['^[a-z ]+$', 'a'],
    ['(a+)+$', 'a'],
    ['(a|a)*b', 'a'],
    ['(.*)(.*)(.*)(.*)(.*)x', 'y'],
    ['\\bfoo\\b', 'fo '],
    ['[é-ü]x', 'é'],
  ])('for /%s/ is one look at each unit, once its states are cached', (source, unit) => {
    const matches = matcherOf(source);
    const text = `${unit.repeat(20_000)}!`;
    expect(match(matches, text).work).toBeLessThan(text.length / 4 + 500);
    expect(match(matches, text).work).toBe(text.length / 4);
  });

  test.each([['(a|b)*a(a|b){14}c'], ['(a|b)*a(a|b){200}c']])(
    'for /%s/, with more states than fit the cache, is its size for each unit',
    (source) => {
      const { instructions } = compilePattern(new RegExp(source));
      const text = mixed(5_000);
      const { isMatch, work } = match(matcherOf(source), text);
      expect(isMatch).toBe(false);
      expect(work).toBeLessThan(text.length * (instructions.length + 1));
    },
  );

  test('grows again when the cached states reach their limit and are dropped', () => {
    const matches = matcherOf('(a|b)*a(a|b){200}c');
    match(matches, 'ab');
    match(matches, mixed(111));
    expect(match(matches, 'ab').work).toBe(0.5);
    match(matches, mixed(112));
    expect(match(matches, 'ab').work).toBeGreaterThan(0.5);
  });

  test('grows again when more than 50,000 characters beyond ASCII are cached and are dropped', () => {
    const matches = matcherOf('x');
    const units = Array.from({ length: 50_001 }, (_, at) => String.fromCharCode(128 + at)).join('');
    match(matches, units.slice(0, -1));
    expect(match(matches, '\u0080').work).toBe(0.25);
    match(matches, units);
    expect(match(matches, '\u0080').work).toBe(1.25);
  });

  test('is limited by its counter', () => {
    const matches = matcherOf('(a|b)*a(a|b){200}c');
    const stop = (work: number) => {
      if (work > 100) throw new RangeError('enough');
    };
    expect(() => matches(mixed(1_000), stop)).toThrow('enough');
    expect(match(matches, `${mixed(300)}c`).isMatch).toBe(true);
  });
});

test('matches where JavaScript’s RegExp matches, for random patterns', () => {
  fc.assert(
    fc.property(
      anyPattern,
      fc.constantFrom('', 'i', 'm', 'im'),
      fc.array(anyMatchedText, { minLength: 1, maxLength: 5 }),
      (source, flags, texts) => {
        let pattern: RegExp;
        try {
          pattern = new RegExp(source, flags);
        } catch {
          return; // two groups of one name
        }
        const matches = createMatcher(compilePattern(pattern));
        for (const text of texts) expect(match(matches, text).isMatch).toBe(pattern.test(text));
      },
    ),
    { numRuns: cases(500, 20_000) },
  );
});

test('reads code points with the flag u, as JavaScript’s RegExp does', () => {
  fc.assert(
    fc.property(
      anyUnicodePattern,
      fc.constantFrom('u', 'mu'),
      fc.array(anyUnicodeText, { minLength: 1, maxLength: 5 }),
      (source, flags, texts) => {
        let pattern: RegExp;
        try {
          pattern = new RegExp(source, flags);
        } catch {
          return; // with the flag u, only what must be escaped is
        }
        const matches = createMatcher(compilePattern(pattern));
        for (const text of texts) expect(match(matches, text).isMatch).toBe(pattern.test(text));
      },
    ),
    { numRuns: cases(1_000, 20_000) },
  );
});
