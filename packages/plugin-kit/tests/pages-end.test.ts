import { expect, test } from '@jest/globals';
import { decideNextPage } from '../tools/fetch-pages.ts';

const origin = 'https://a.example';
const next = `${origin}/?page=3`;
const after = (changes: Partial<Parameters<typeof decideNextPage>[1]>, link: string | null = next) =>
  decideNextPage(
    link,
    { pages: 2, items: 20, urls: new Set([`${origin}/`, `${origin}/?page=2`]), origin, ...changes },
    { maxPages: 9, maxItems: 90 },
  );

test.each([
  ['another page follows', after({}), { next }],
  ['the last page', after({}, null), { end: 'complete' }],
  ['the last page, at both bounds', after({ pages: 9, items: 90 }, null), { end: 'complete' }],
  ['more items than asked for, on the last page', after({ items: 91 }, null), { end: 'maxItems' }],
  ['all items that are asked for, and maybe more', after({ items: 90 }), { next }],
  ['more items than asked for', after({ items: 91 }), { end: 'maxItems' }],
  ['all pages that are asked for', after({ pages: 9 }), { end: 'maxPages' }],
  ['a page that was fetched', after({}, `${origin}/`), { end: 'loop' }],
  ['a page that was fetched, at the bound', after({ pages: 9 }, `${origin}/`), { end: 'loop' }],
  ['another host', after({}, 'https://b.example/'), { end: 'otherOrigin' }],
  ['another port', after({}, `${origin}:8443/`), { end: 'otherOrigin' }],
  ['another protocol', after({}, 'http://a.example/'), { end: 'otherOrigin' }],
])('%s', (_case, decision, expected) => {
  expect(decision).toEqual(expected);
});
