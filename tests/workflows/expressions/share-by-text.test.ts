import { expect, test } from '@jest/globals';
import { shareByText } from '../../../lib/workflows/expressions/compile-expression.ts';

test('equal texts share a result', () => {
  const share = shareByText((text) => ({ text }));
  expect(share('a')).toBe(share('a'));
  expect(share('b')).toEqual({ text: 'b' });
});

test('null is a result', () => {
  let made = 0;
  const share = shareByText(() => {
    made++;
    return null;
  });
  share('a');
  share('a');
  expect(made).toBe(1);
});

test('errors are not cached', () => {
  let made = 0;
  const share = shareByText(() => {
    made++;
    if (made === 1) throw new Error('the first time');
    return made;
  });
  expect(() => share('a')).toThrow('the first time');
  expect(share('a')).toBe(2);
});

test.each([
  ['many short texts', Array.from({ length: 2_500 }, (_, index) => `${index}`)],
  ['a few long texts', Array.from({ length: 6 }, (_, index) => `${index}`.repeat(9_000))],
])('%s evict what was cached', (_case, texts) => {
  const share = shareByText((text) => ({ text }));
  const first = share('a');
  for (const text of texts) share(text);
  expect(share('a')).not.toBe(first);
});

test('a text that is too long to cache evicts nothing', () => {
  const share = shareByText((text) => ({ text }));
  const first = share('a');
  const long = 'x'.repeat(50_000);
  expect(share(long)).not.toBe(share(long));
  expect(share('a')).toBe(first);
});
