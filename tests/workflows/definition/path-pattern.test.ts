import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { matchPattern } from '../../../lib/webhooks/matching/match-webhook.chunk.ts';
import { areAmbiguous, compareSpecificity } from '../../../lib/workflows/definition/path-pattern.ts';
import { cases } from '../../support/deep.ts';

const split = (path: string) => path.slice(1).split('/');

describe('two patterns', () => {
  test.each([
    ['/users/:id', '/users/:name'],
    ['/users/:id', '/:kind/me'],
    ['/:a/b/:c', '/a/:b/:c'],
    ['/files/*rest', '/files/*all'],
    ['/:a/*rest', '/:b/*rest'],
  ])('%s and %s are ambiguous', (a, b) => {
    expect([areAmbiguous(split(a), split(b)), areAmbiguous(split(b), split(a))]).toEqual([true, true]);
  });

  test.each([
    ['/users/:id/posts', '/:kind/:id/posts', 'more literal segments'],
    ['/users/:id', '/users/*rest', 'one segment before the rest'],
    ['/files/*rest', '/:a/:b', 'a literal segment, though it takes the rest'],
    ['/:a/*rest', '/*rest', 'more segments'],
  ])('%s wins over %s: %s', (a, b) => {
    expect(compareSpecificity(split(a), split(b))).toBeLessThan(0);
    expect(areAmbiguous(split(a), split(b))).toBe(false);
  });

  test.each([
    ['/users/:id', '/orders/:id'],
    ['/users/:id', '/users/:id/posts'],
    ['/:id/a', '/:id/b'],
  ])('%s and %s match no path together', (a, b) => {
    expect(areAmbiguous(split(a), split(b))).toBe(false);
  });
});

const literals = ['a', 'b'];
const pattern = fc
  .tuple(fc.array(fc.constantFrom(...literals, ':'), { maxLength: 3 }), fc.boolean())
  .map(([segments, takesRest]) => [
    ...segments.map((segment, at) => (segment === ':' ? `:p${at}` : segment)),
    ...(takesRest || segments.length === 0 ? ['*rest'] : []),
  ]);

/** Every path of up to four segments over the letters of the patterns, and one more. */
const paths = [1, 2, 3, 4].flatMap((length) =>
  Array.from({ length: 3 ** length }, (_, number) =>
    Array.from({ length }, (_segment, at) => [...literals, 'x'][Math.trunc(number / 3 ** at) % 3] ?? ''),
  ),
);

test('are ambiguous exactly when some path matches both, and they are equally specific', () => {
  fc.assert(
    fc.property(pattern, pattern, (a, b) => {
      const hasCommonPath = paths.some(
        (path) => matchPattern(a, path) !== null && matchPattern(b, path) !== null,
      );
      expect(areAmbiguous(a, b)).toBe(hasCommonPath && compareSpecificity(a, b) === 0);
    }),
    { numRuns: cases(200, 5_000) },
  );
});
