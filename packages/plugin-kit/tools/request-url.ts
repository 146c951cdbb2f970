import type { JsonObject } from '../contract/json.ts';
import { wrongParameter } from '../declare/read-parameters.ts';

/**
 * A URL with more query parameters: a list repeats the name, null adds nothing.
 *
 * @throws TypeError that names the parameter, without its value: a query may hold a secret
 */
export const addQuery = (text: string, query: JsonObject): string => {
  const url = URL.parse(text);
  if (url === null) throw new TypeError('Parameter "url" is not an absolute URL');
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null) continue;
      if (typeof item === 'object')
        throw wrongParameter(`query.${name}`, 'a text, a number or a list of them', item);
      url.searchParams.append(name, String(item));
    }
  }
  return url.href;
};

/** A URL with one query parameter replaced. */
export const setQuery = (text: string, name: string, value: string | number): string => {
  const url = new URL(text);
  url.searchParams.set(name, String(value));
  return url.href;
};

/**
 * The URL of an API resource.
 *
 * @param baseUrl - the parameter of that name, with or without a trailing slash; a query is kept
 * @param path - starts with a slash; its segments are encoded
 * @throws TypeError that names the parameter but not its value, which may contain a secret
 */
export const joinUrl = (baseUrl: string, path: string): string => {
  const url = URL.parse(baseUrl);
  if (url === null) throw new TypeError('Parameter "baseUrl" is not an absolute URL');
  const { pathname } = url;
  url.pathname = `${pathname.endsWith('/') ? pathname.slice(0, -1) : pathname}${path}`;
  return url.href;
};
