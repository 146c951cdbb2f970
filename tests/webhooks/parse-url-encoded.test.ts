import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseUrlEncoded } from '../../lib/webhooks/parse-url-encoded.ts';

/** The standard's own parser, for what both have to agree on. */
const reference = (text: string): [string, string[]][] => {
  const pairs = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(`?${text}`)) {
    pairs.set(name, [...(pairs.get(name) ?? []), value]);
  }
  return [...pairs].toSorted(([a], [b]) => (a < b ? -1 : 1));
};

describe('pairs of a query or a form', () => {
  test.each([
    ['', {}],
    ['a=1', { a: '1' }],
    ['a=1&a=2&a=', { a: ['1', '2', ''] }],
    ['a', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['=x', { '': 'x' }],
    ['&&a=1&', { a: '1' }],
    ['?a=1', { '?a': '1' }],
    ['a=x+y%2Bz', { a: 'x y+z' }],
    ['%C3%A4=%E6%97%A5', { ä: '日' }],
    ['a=%zz&b=%&c=%4&d=100%', { a: '%zz', b: '%', c: '%4', d: '100%' }],
    ['a=%c3%28&b=%ff', { a: '\ufffd(', b: '\ufffd' }],
    ['a=%2541', { a: '%41' }],
    ['a[]=1&a[b]=2', { 'a[]': '1', 'a[b]': '2' }],
    ['a={{7*7}}', { a: '{{7*7}}' }],
  ])('%s', (text, pairs) => {
    expect(parseUrlEncoded(text)).toEqual(pairs);
  });

  test('a name of more than 10,000 characters is refused', () => {
    const name = 'a'.repeat(10_000);
    expect(parseUrlEncoded(`${name}=1`)).toEqual({ [name]: '1' });
    const refusal = expect.objectContaining({ code: 'BODY_INVALID', status: 400 });
    expect(() => parseUrlEncoded(`b=1&${name}a`)).toThrow(refusal);
  });

  test('__proto__ and the like are ordinary names', () => {
    const pairs = parseUrlEncoded('__proto__=x&__proto__=y&constructor=z&%5f_proto__=w');
    expect(Object.entries(pairs)).toEqual([
      ['__proto__', ['x', 'y', 'w']],
      ['constructor', 'z'],
    ]);
    expect(Object.getPrototypeOf(pairs)).toBe(Object.prototype);
  });

  test('parses what the standard parses, and never throws', () => {
    const part = fc.oneof(fc.constantFrom('&', '=', '%', '+', 'a', '%41', '%c3%a4', '%zz', '?'), fc.string());
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join('').replaceAll('\ufeff', '');
        const pairs = Object.entries(parseUrlEncoded(text)).map(([name, value]) => [name, [value].flat()]);
        expect(pairs.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual(reference(text));
      }),
      { numRuns: 500 },
    );
  });
});
