import {
  asFinal,
  type JsonObject,
  type JsonValue,
  NodeError,
  type OutboundResponse,
  readBody,
  setQuery,
  wrongParameter,
} from '@hookloom/plugin-kit';
import type { Parameters } from './rules.ts';

/**
 * Maximum size of all pages together: as much as the engine lets a node deliver, unless the workflow says otherwise.
 */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Fetches page by page, all in one attempt. Output: `{ items, pages, pagesEnd }`.
 * @param send - `page` is counted from 1
 * @throws TypeError that names the wrong parameter, or the error of `send`
 */
export const fetchPages = async (
  url: string,
  given: Parameters,
  send: (url: string, page: number) => Promise<OutboundResponse>,
): Promise<JsonObject> => {
  const { responseType } = given;
  if (responseType === 'text' || responseType === 'file')
    throw wrongParameter('responseType', 'auto or json with pagination', responseType);
  const first = toFirstPage(given, url);
  const findNext = createFindNextPage(given, first);
  const readItems = createReadItems(given.items);
  const { origin } = new URL(first);
  const urls = new Set<string>();
  const items: JsonValue[] = [];
  let bytes = 0;
  for (let next = first, pages = 1; ; pages += 1) {
    const response = await send(next, pages);
    bytes += response.body.byteLength;
    if (bytes > MAX_BYTES)
      throw new NodeError(`the pages have more than ${MAX_BYTES} bytes`, { isRetryable: false });
    const body = readBody(response, responseType);
    const page = readItems(body);
    for (const item of page) items.push(item);
    for (const fetched of [next, response.url]) urls.add(withoutHash(fetched));
    const { headers } = response;
    const found = findNext({ number: pages, url: response.url, headers, body, itemCount: page.length });
    const decision = decideNextPage(found, { pages, items: items.length, urls, origin }, given);
    if ('end' in decision) return { items: items.slice(0, given.maxItems), pages, pagesEnd: decision.end };
    next = decision.next;
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
  /** URL that answered the request. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
  readonly itemCount: number;
}

/** Finds the URL of the next page; null after the last one. */
type FindNextPage = (page: Page) => string | null;

type PageParameters = Pick<Parameters, 'pagination' | 'next' | 'pageParameter' | 'firstPage' | 'pageStep'>;

/**
 * Creates the function that finds the next page.
 * @param firstUrl - URL of the first page
 * @throws TypeError that names the wrong parameter
 */
const createFindNextPage = (given: PageParameters, firstUrl: string): FindNextPage => {
  const { pagination, next, pageParameter, firstPage, pageStep } = given;
  switch (pagination) {
    case 'page':
      return ({ number, itemCount }) =>
        itemCount === 0 ? null : setQuery(firstUrl, pageParameter || 'page', firstPage + number * pageStep);
    case 'cursor': {
      if (next === '') throw wrongParameter('next', 'the JSON pointer of the cursor', undefined);
      const read = createRead('next', next);
      return ({ body }) => {
        const cursor = read(body);
        if (isNone(cursor)) return null;
        if (typeof cursor !== 'string' && typeof cursor !== 'number')
          throw wrongParameter('next', 'the JSON pointer of a text or a number', cursor);
        return setQuery(firstUrl, pageParameter || 'cursor', cursor);
      };
    }
    default: {
      const read = next === '' ? null : createRead('next', next);
      return ({ url, headers, body }) => {
        const link = read === null ? findNextLink(headers.link ?? '') : read(body);
        if (isNone(link)) return null;
        const target = typeof link === 'string' ? URL.parse(link, url) : null;
        if (target === null) throw wrongParameter('next', 'the JSON pointer of a URL', link);
        target.hash = '';
        return target.href;
      };
    }
  }
};

const isNone = (next: JsonValue | undefined): next is undefined | null | false | '' =>
  next === undefined || next === null || next === false || next === '';

const toFirstPage = ({ pagination, pageParameter, firstPage }: PageParameters, url: string): string =>
  pagination === 'page' ? setQuery(url, pageParameter || 'page', firstPage) : url;

/**
 * Makes the function that finds the items of a page.
 * @throws TypeError that names the parameter; the function throws it too, if the pointer does not lead to a list
 */
const createReadItems = (items: string): ((body: JsonValue) => readonly JsonValue[]) => {
  const read = createRead('items', items);
  return (body) => {
    const found = read(body);
    if (!isList(found)) throw wrongParameter('items', 'the JSON pointer of a list in each page', found);
    return found;
  };
};

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

const createRead = (name: string, pointer: string) => {
  const read = parsePointer(pointer);
  if (read === null)
    throw asFinal(new TypeError(`Parameter "${name}" must be a JSON pointer such as "/data/items"`));
  return read;
};

/**
 * Why no further page is fetched: `complete` after the last one; a limit; `loop` if the next page was already fetched;
 * `otherOrigin` if it is on another origin, which must not get the credentials of this one.
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

/**
 * Parses a JSON pointer (RFC 6901).
 * @returns a function that reads what it leads to, undefined if there is nothing; null if it is not a pointer
 */
export const parsePointer = (text: string): ((value: JsonValue) => JsonValue | undefined) | null => {
  if (text !== '' && !text.startsWith('/')) return null;
  const keys = text
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return (value) => keys.reduce<JsonValue | undefined>(readKey, value);
};

const readKey = (value: JsonValue | undefined, key: string): JsonValue | undefined => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  // `length` is an own property of a list, but not an item.
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return (value as Readonly<Record<string, JsonValue>>)[key];
};
