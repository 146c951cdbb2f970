import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { type Cookie, toSetCookie } from './set-cookie.ts';

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

/**
 * A response that redirects or sets cookies.
 *
 * @param redirect - undefined for none
 * @throws TypeError or RangeError that names the parameter
 */
export const toSpecialResponse = (
  response: Response,
  redirect: string | undefined,
  cookies: readonly Cookie[],
): JsonObject => {
  const setCookie = cookies.map((each, index) => toSetCookie(each, `cookies.${index}`));
  return {
    ...(redirect === undefined ? response : toRedirect(response, redirect)),
    ...(setCookie.length === 0 ? {} : { setCookie }),
  };
};

/** Statuses whose `location` clients follow: RFC 9110 §15.4. */
const REDIRECTS = [301, 302, 303, 307, 308];

/** The default of the node. */
const NO_STATUS = 200;

/** Visible ASCII, as in every valid URL. */
const LOCATION = /^[\x21-\x7e]+$/;

/** A relative location is resolved against the URL of the request (RFC 9110 §10.2.2). */
const toRedirect = ({ status, headers }: Response, location: string): Response => {
  if (status !== NO_STATUS && !REDIRECTS.includes(status))
    throw new RangeError(`Parameter "status" must be one of ${REDIRECTS.join(', ')} with a redirect`);
  const url = LOCATION.test(location) ? URL.parse(location, 'https://relative.invalid') : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('Parameter "redirect" must be a path or a URL of http or https, encoded');
  return { status: status === NO_STATUS ? 302 : status, headers: { ...headers, location }, body: null };
};
