/**
 * The URL of an operation below a base URL, whose query is kept: some gateways have a version there.
 *
 * @throws TypeError for a text that is no URL
 */
export const addPath = (baseUrl: string, path: string): string => {
  const url = URL.parse(baseUrl);
  if (url === null) throw new TypeError('Parameter "baseUrl" is not an absolute URL');
  url.pathname = `${url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname}${path}`;
  return url.href;
};
