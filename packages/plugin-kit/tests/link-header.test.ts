import { describe, expect, test } from '@jest/globals';
import { findNextLink } from '../tools/fetch-pages.ts';

describe('the next link of a Link header', () => {
  test.each([
    ['<https://a.example/?page=2>; rel="next"', 'https://a.example/?page=2'],
    ['<?page=2>;rel=next', '?page=2'],
    ['</a,b;c>; rel="prev", </2>; rel="next"', '/2'],
    ['</1>; title="a, b; rel=next"; rel=prev, </2>; title="\\"<x>"; REL="last Next"', '/2'],
    ['</2> ; foo ; bar=1 ; rel = "next"', '/2'],
    ['</2>; rel="prev"; rel="next"', null],
    ['</2>; rel="nextish"', null],
    ['</2>', null],
    ['/2; rel="next"', null],
    ['', null],
  ])('%j: %j', (header, target) => {
    expect(findNextLink(header)).toBe(target);
  });

  // A pattern that backtracks exceeds the time limit of the test with some of these.
  test.each(['<', '<a>', '<a>"', '<a>;', '<a>; ', '<a>;a="', ' ', '"', '\\', ';rel'])(
    'is found in linear time in 300 kB of %j',
    (piece) => {
      expect(findNextLink(piece.repeat(300_000 / piece.length))).toBe(null);
    },
  );
});
