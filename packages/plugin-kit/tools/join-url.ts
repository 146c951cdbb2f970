/**
 * The URL of a resource of an API.
 *
 * @param baseUrl - the parameter of that name, with or without a slash at its end; a query is kept
 * @param path - starts with a slash; its segments are encoded
 * @throws TypeError that names the parameter, without its value: it may hold a secret
 */
export const joinUrl = (baseUrl: string, path: string): string => {
  const url = URL.parse(baseUrl);
  if (url === null) throw new TypeError('Parameter "baseUrl" is not an absolute URL');
  const { pathname } = url;
  url.pathname = `${pathname.endsWith('/') ? pathname.slice(0, -1) : pathname}${path}`;
  return url.href;
};
