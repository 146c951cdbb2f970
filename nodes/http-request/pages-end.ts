import type { Parameters } from './rules.ts';

/**
 * Why no further page is fetched: `complete` after the last one; a bound; `loop` when the next page was fetched before;
 * `otherOrigin` when it is on another origin, which must not get the credentials of this one.
 */
type PagesEnd = 'complete' | 'maxPages' | 'maxItems' | 'loop' | 'otherOrigin';

interface Fetched {
  readonly pages: number;
  readonly items: number;
  /** URLs of the pages, with those that they redirected to. */
  readonly urls: ReadonlySet<string>;
  readonly origin: string;
}

/**
 * Decides whether the next page is fetched.
 *
 * @param next - its URL; null after the last page
 */
export const decideNextPage = (
  next: string | null,
  { pages, items, urls, origin }: Fetched,
  { maxPages, maxItems }: Pick<Parameters, 'maxPages' | 'maxItems'>,
): { readonly next: string } | { readonly end: PagesEnd } => {
  if (items > maxItems) return { end: 'maxItems' };
  if (next === null) return { end: 'complete' };
  if (urls.has(next)) return { end: 'loop' };
  if (new URL(next).origin !== origin) return { end: 'otherOrigin' };
  if (items === maxItems) return { end: 'maxItems' };
  return pages === maxPages ? { end: 'maxPages' } : { next };
};
