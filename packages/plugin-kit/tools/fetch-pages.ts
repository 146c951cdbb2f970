import { isNodeError, NodeError } from '../contract/errors.ts';
import { type JsonObject, type JsonValue, jsonEquals } from '../contract/json.ts';
import type { OutboundResponse } from '../contract/services.ts';
import { isJsonMap } from '../declare/read-parameters.ts';
import { parsePointer } from './json-pointer.ts';
import { setQuery } from './request-parts.ts';

/** How the pages of an API are found, and how many are fetched: the parameters of `httpRequest`. */
export interface PageRules {
  /** `link`: by a URL. `cursor`: by a value of the answer. `page`: by number. */
  readonly pagination: 'link' | 'cursor' | 'page';
  /** JSON pointer to the list in the body of a page; empty if the body is the list. */
  readonly items: string;
  /** The query parameter of the cursor or number; if it is empty, `cursor` or `page`. */
  readonly pageParameter: string;
  /** Number of the first page. */
  readonly firstPage: number;
  /** Added for each page: the page size if the API counts items. */
  readonly pageStep: number;
  readonly maxPages: number;
  readonly maxItems: number;
}

/** Reads the URL or cursor of the next page in an answer, `{ status, headers, body, url }`: undefined if there is none. */
export type ReadNext = (answer: JsonObject) => JsonValue | undefined;

interface PageSource {
  /** @param page - counted from 1 */
  send(url: string, page: number): Promise<OutboundResponse>;
  readBody(response: OutboundResponse): JsonValue;
  /** What leads to the next page; null for the header `Link`, or the next number. */
  readonly readNext: ReadNext | null;
  /** The error for what is not where the rules say. */
  wrong(rule: 'items' | 'next', expected: string, found: JsonValue | undefined): Error;
}

/** What was fetched of the pages of an API. */
export type FetchedPages = {
  readonly items: readonly JsonValue[];
  readonly pages: number;
  readonly pagesEnd: PagesEnd;
};

/**
 * Maximum size of all pages together: as much as the engine lets a node deliver, unless the workflow says otherwise.
 */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Fetches page by page, all in one attempt.
 * @throws the error of `send`, or of `wrong`; NodeError if the pages are too large together
 */
export const fetchPages = async (
  url: string,
  given: PageRules,
  source: PageSource,
): Promise<FetchedPages> => {
  const { pagination } = given;
  const first = pagination === 'page' ? setQuery(url, given.pageParameter || 'page', given.firstPage) : url;
  const findNext = createFindNextPage(given, first, source);
  const readItems = createReadItems(given.items, source);
  const { origin } = new URL(first);
  const urls = new Set<string>();
  const items: JsonValue[] = [];
  let bytes = 0;
  let known: readonly (readonly JsonValue[])[] = [];
  const end = (pages: number, pagesEnd: PagesEnd): FetchedPages => ({
    items: items.slice(0, given.maxItems),
    pages,
    pagesEnd,
  });
  for (let next = first, pages = 1; ; pages += 1) {
    const isPageByNumber = pagination === 'page' && pages > 1;
    const response = await source.send(next, pages).catch((error: unknown) => {
      if (isPageByNumber && isNotFound(error)) return null;
      throw error;
    });
    if (response === null || (isPageByNumber && response.status === NOT_FOUND))
      return end(pages - 1, 'complete');
    bytes += response.body.byteLength;
    if (bytes > MAX_BYTES)
      throw new NodeError(`the pages have more than ${MAX_BYTES} bytes`, { isRetryable: false });
    const body = source.readBody(response);
    const page = readItems(body, pages);
    for (const fetched of [next, response.url]) urls.add(withoutHash(fetched));
    const found = findNext({ number: pages, response, body, itemCount: page.length });
    // The same items are the same page if its number has no effect, or if it leads on to a page that was fetched.
    const isSuspect = isPageByNumber || (found !== null && urls.has(found));
    if (isSuspect && page.length > 0 && known.some((other) => isSamePage(page, other)))
      return end(pages, 'loop');
    for (const item of page) items.push(item);
    known = [known[0] ?? page, page];
    const decision = decideNextPage(found, { pages, items: items.length, urls, origin }, given);
    if ('end' in decision) return end(pages, decision.end);
    next = decision.next;
  }
};

const NOT_FOUND = 404;

const isNotFound = (error: unknown): boolean => isNodeError(error) && error.details?.status === NOT_FOUND;

/** Linear in the size of the pages, which is bounded. Items that are nested too deep are refused later, with the output. */
const isSamePage = (page: readonly JsonValue[], other: readonly JsonValue[]): boolean => {
  try {
    return jsonEquals(page, other);
  } catch {
    return false; // the stack was too short
  }
};

const withoutHash = (text: string): string => {
  const url = new URL(text);
  url.hash = '';
  return url.href;
};

interface Page {
  /** Number of the page, counted from 1. */
  readonly number: number;
  readonly response: OutboundResponse;
  readonly body: JsonValue;
  readonly itemCount: number;
}

/** Finds the URL of the next page; null after the last one. */
type FindNextPage = (page: Page) => string | null;

/** @param firstUrl - URL of the first page. @throws the error of `wrong`, also from the function that it returns */
const createFindNextPage = (
  { pagination, pageParameter, firstPage, pageStep }: PageRules,
  firstUrl: string,
  { readNext, wrong }: PageSource,
): FindNextPage => {
  const readNextOf = ({ response: { status, headers, url }, body }: Page): JsonValue | undefined =>
    readNext?.({ status, headers, body, url });
  switch (pagination) {
    case 'page':
      return (page) => {
        const isLast = readNext === null ? page.itemCount === 0 : isNone(readNextOf(page));
        return isLast
          ? null
          : setQuery(firstUrl, pageParameter || 'page', firstPage + page.number * pageStep);
      };
    case 'cursor':
      if (readNext === null) throw wrong('next', `${WAYS} of the cursor`, undefined);
      return (page) => {
        const cursor = readNextOf(page);
        if (isNone(cursor)) return null;
        if (typeof cursor !== 'string' && typeof cursor !== 'number')
          throw wrong('next', `${WAYS} of a text or a number`, cursor);
        return setQuery(firstUrl, pageParameter || 'cursor', cursor);
      };
    default:
      return (page) => {
        const { url, headers } = page.response;
        const link = readNext === null ? findNextLink(headers.link ?? '') : readNextOf(page);
        if (isNone(link)) return null;
        const target = typeof link === 'string' ? URL.parse(link, url) : null;
        if (target === null) throw wrong('next', `${WAYS} of a URL`, link);
        target.hash = '';
        return target.href;
      };
  }
};

const WAYS = 'the JSON pointer or an expression';

const isNone = (next: JsonValue | undefined): next is undefined | null | false | '' =>
  next === undefined || next === null || next === false || next === '';

/**
 * Makes the function that finds the items of a page. After the first one, a page may be empty, or have null for its list.
 * @throws the error of `wrong`, also from the function, if the pointer does not lead to a list
 */
const createReadItems = (
  items: string,
  { wrong }: PageSource,
): ((body: JsonValue, page: number) => readonly JsonValue[]) => {
  const readItemsAt = parsePointer(items);
  if (readItemsAt === null) throw wrong('items', 'a JSON pointer such as "/data/items"', items);
  return (body, page) => {
    const found = readItemsAt(body);
    if (isList(found)) return found;
    if (page > 1 && (found === null || isEmptyBody(body))) return [];
    throw wrong('items', 'the JSON pointer of a list in each page', found);
  };
};

const isEmptyBody = (body: JsonValue): boolean =>
  body === null || body === '' || (isJsonMap(body) && Object.keys(body).length === 0);

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/**
 * Why no further page is fetched: `complete` after the last one; a limit; `loop` if the next page was already fetched, or this one
 * came a second time; `otherOrigin` if it is on another origin, which must not get the credentials of this one.
 */
type PagesEnd = 'complete' | 'maxPages' | 'maxItems' | 'loop' | 'otherOrigin';

interface Fetched {
  readonly pages: number;
  readonly items: number;
  /** URLs of the pages, including those that they redirected to. */
  readonly urls: ReadonlySet<string>;
  readonly origin: string;
}

/**
 * Decides whether to fetch the next page.
 * @param next - its URL; null after the last page
 * @internal
 */
export const decideNextPage = (
  next: string | null,
  { pages, items, urls, origin }: Fetched,
  { maxPages, maxItems }: Pick<PageRules, 'maxPages' | 'maxItems'>,
): { readonly next: string } | { readonly end: PagesEnd } => {
  if (items > maxItems) return { end: 'maxItems' };
  if (next === null) return { end: 'complete' };
  if (urls.has(next)) return { end: 'loop' };
  if (new URL(next).origin !== origin) return { end: 'otherOrigin' };
  // With as many items as are asked for, only the next page shows whether there are more.
  return pages === maxPages ? { end: 'maxPages' } : { next };
};

/**
 * One link of a `Link` header: `<target>` and its parameters. Each alternative starts with another character: no
 * backtracking.
 */
const LINK = /<([^<>]*)>((?:[^,"<]|"(?:[^"\\]|\\.)*")*)/g;
const PARAMETER = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/**
 * Finds the target of the first link with the relation `next` (RFC 8288 §3).
 *
 * @param header - value of `Link`; repeated headers joined with a comma
 * @returns a URL, possibly relative; null for none
 */
export const findNextLink = (header: string): string | null => {
  for (const [, target = '', parameters = ''] of header.matchAll(LINK))
    if (relationsOf(parameters).includes('next')) return target;
  return null;
};

/** Returns the relations of a link. If there are several `rel`, the first one counts. */
const relationsOf = (parameters: string): readonly string[] => {
  for (const [, name = '', quoted, plain = ''] of parameters.matchAll(PARAMETER))
    if (name.toLowerCase() === 'rel') return (quoted ?? plain).toLowerCase().split(/\s+/);
  return [];
};
