import { type JsonValue, setQuery, wrongParameter } from '@hookloom/plugin-kit';
import { parsePointer } from './json-pointer.ts';
import { findNextLink } from './link-header.ts';
import type { Parameters } from './rules.ts';

/** A page that was fetched. */
interface Page {
  /** Counted from 1. */
  readonly number: number;
  /** The URL that answered. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
  readonly itemCount: number;
}

/** Finds the URL of the page after another; null after the last one. */
type FindNextPage = (page: Page) => string | null;

type PageParameters = Pick<Parameters, 'pagination' | 'next' | 'pageParameter' | 'firstPage' | 'pageStep'>;

/**
 * Makes the rule that leads from page to page.
 *
 * @param firstUrl - of the first page
 * @throws TypeError that names a wrong parameter
 */
export const createFindNextPage = (given: PageParameters, firstUrl: string): FindNextPage => {
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

/** The URL of the first page. */
export const toFirstPage = ({ pagination, pageParameter, firstPage }: PageParameters, url: string): string =>
  pagination === 'page' ? setQuery(url, pageParameter || 'page', firstPage) : url;

/**
 * Makes the function that finds the items of a page.
 *
 * @throws TypeError that names the parameter, also from the function, where the pointer leads to no list
 */
export const createReadItems = (items: string): ((body: JsonValue) => readonly JsonValue[]) => {
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
  if (read === null) throw new TypeError(`Parameter "${name}" must be a JSON pointer such as "/data/items"`);
  return read;
};
