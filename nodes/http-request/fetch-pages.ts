import {
  type JsonObject,
  type JsonValue,
  NodeError,
  type OutboundResponse,
  readBody,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { createFindNextPage, createReadItems, toFirstPage } from './next-page.ts';
import { decideNextPage } from './pages-end.ts';
import type { Parameters } from './rules.ts';

/** Of all pages: as much as the engine lets a node deliver, unless the workflow says otherwise. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Fetches page after page, all in one attempt. Output: `{ items, pages, pagesEnd }`.
 *
 * @param send - `page` is counted from 1
 * @throws TypeError that names a wrong parameter, or the error of `send`
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
