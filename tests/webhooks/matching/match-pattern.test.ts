import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { matchPattern } from '../../../lib/webhooks/matching/match-webhook.chunk.ts';
import { cases } from '../../support/deep.ts';

const match = (pattern: string, path: string) =>
  matchPattern(pattern.split('/').slice(1), path === '/' ? [] : path.split('/').slice(1));

describe('a pattern', () => {
  test.each([
    ['/users/:id', '/users/7', { id: '7' }],
    ['/users/:id', '/users/a b', { id: 'a b' }],
    ['/users/:id', '/users/:id', { id: ':id' }],
    ['/users/:id', '/users/%2e%2e', { id: '%2e%2e' }],
    ['/users/:constructor', '/users/x', { constructor: 'x' }],
    ['/:shop/users/:id', '/a/users/b', { shop: 'a', id: 'b' }],
    ['/files/*rest', '/files/a', { rest: 'a' }],
    ['/files/*rest', '/files/a/b/c', { rest: 'a/b/c' }],
    ['/:a/*b', '/x/y/z', { a: 'x', b: 'y/z' }],
    ['/*all', '/x', { all: 'x' }],
  ])('%s matches %s', (pattern, path, values) => {
    expect(match(pattern, path)).toEqual(values);
  });

  test.each([
    ['/users/:id', '/users'],
    ['/users/:id', '/users/7/posts'],
    ['/users/:id', '/Users/7'],
    ['/:id', '/'],
    ['/files/*rest', '/files'],
    ['/files/*rest', '/file/a'],
    ['/*all', '/'],
    ['/:a/b', '/b/a'],
  ])('%s does not match %s', (pattern, path) => {
    expect(match(pattern, path)).toBeNull();
  });
});

describe('a hostile path', () => {
  const patterns = [
    '/:a',
    '/a/:b/c',
    '/*rest',
    '/a/*rest',
    `${'/:p'.repeat(50)}`,
    `${'/a'.repeat(50)}/*rest`,
  ];
  const many = cases(10_000, 100_000);

  test.each(patterns)(
    'is matched with %s by one look at each segment of the pattern, and one at the rest',
    (pattern) => {
      const segments = pattern.split('/').slice(1);
      const paths = ['a', 'x', '..%2f', '%2e%2e', ':a', '*rest', '\ud800'].map((one) =>
        Array(many).fill(one),
      );
      for (const path of [...paths, ['x'.repeat(many)], ['__proto__', 'constructor', 'toString']]) {
        let reads = 0;
        const counted = new Proxy(path, {
          get: (target, key, receiver) => {
            reads += Number(typeof key === 'string' && /^\d+$/.test(key));
            return Reflect.get(target, key, receiver);
          },
        });
        const values = matchPattern(segments, counted);
        expect(reads).toBeLessThanOrEqual(segments.length + (values === null ? 0 : path.length));
      }
    },
  );
});

/** By backtracking on both lists, segment by segment. */
const matchSlowly = (
  [first, ...pattern]: readonly string[],
  path: readonly string[],
): Record<string, string> | null => {
  if (first === undefined) return path.length === 0 ? {} : null;
  const [segment, ...others] = path;
  if (segment === undefined) return null;
  if (first.startsWith('*')) return { [first.slice(1)]: path.join('/') };
  if (!first.startsWith(':') && first !== segment) return null;
  const values = matchSlowly(pattern, others);
  if (values === null) return null;
  return first.startsWith(':') ? { [first.slice(1)]: segment, ...values } : values;
};

test('gives the same matches and values as a slow matcher', () => {
  const literal = fc.constantFrom('a', 'b');
  const pattern = fc
    .tuple(fc.array(fc.oneof(literal, fc.constant(':')), { minLength: 1, maxLength: 5 }), fc.boolean())
    .map(([segments, takesRest]) => [
      ...segments.map((segment, at) => (segment === ':' ? `:p${at}` : segment)),
      ...(takesRest ? ['*rest'] : []),
    ]);
  fc.assert(
    fc.property(
      pattern,
      fc.array(fc.oneof(literal, fc.string({ minLength: 1 })), { maxLength: 7 }),
      (wanted, path) => {
        expect(matchPattern(wanted, path)).toEqual(matchSlowly(wanted, path));
      },
    ),
    { numRuns: cases(300, 10_000) },
  );
});
