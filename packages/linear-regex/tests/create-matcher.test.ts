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

test('matches where JavaScript’s RegExp matches, also with cached states of earlier texts', () => {
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

describe('the work', () => {
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

  test('is limited by its counter', () => {
    const matches = matcherOf('(a|b)*a(a|b){200}c');
    const stop = (work: number) => {
      if (work > 100) throw new RangeError('enough');
    };
    expect(() => matches(mixed(1_000), stop)).toThrow('enough');
    expect(match(matches, `${mixed(300)}c`).isMatch).toBe(true);
  });
});
