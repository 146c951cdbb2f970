import { isToken, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

/**
 * A response that redirects, names a location or sets cookies.
 *
 * @param redirect - undefined for none
 * @throws TypeError or RangeError that names the parameter
 */
export const toSpecialResponse = (
  response: Response,
  redirect: string | undefined,
  cookies: readonly Cookie[],
): JsonObject => {
  if (redirect !== undefined) checkLocation('redirect', redirect);
  for (const [name, value] of Object.entries(response.headers))
    if (name.toLowerCase() === 'location') checkLocation(`headers.${name}`, value);
  const setCookie = cookies.map((each, index) => toSetCookie(each, `cookies.${index}`));
  return {
    ...(redirect === undefined ? response : toRedirect(response, redirect)),
    ...(setCookie.length === 0 ? {} : { setCookie }),
  };
};

/** Two slashes of either kind, which begin a host; browsers remove tabs and leading spaces (URL Standard §4.4). */
const OTHER_HOST = /^[\t ]*[\\/][\t]*[\\/]/;

/** @throws TypeError for a path that browsers take for another host, as text of a request after a slash can make it */
const checkLocation = (place: string, location: string): void => {
  if (OTHER_HOST.test(location))
    throw new TypeError(`Parameter "${place}" begins with two slashes: begin a URL with its scheme`);
};

/** Statuses whose `Location` clients follow: RFC 9110 §15.4. */
const REDIRECTS = [301, 302, 303, 307, 308];

/** Status of the answer if the node sets none. */
const NO_STATUS = 200;

/** Visible ASCII, as in every valid URL. */
const LOCATION = /^[\x21-\x7e]+$/;
/** What a URL can have only encoded, and people write. */
const TO_ENCODE = /[ \u0080-\uffff]+/g;

/**
 * Makes a redirect. A relative location is resolved against the URL of the request (RFC 9110 §10.2.2). Blanks and letters
 * beyond ASCII are encoded, as browsers do with links.
 */
const toRedirect = ({ status, headers }: Response, redirect: string): Response => {
  const location = redirect.toWellFormed().replaceAll(TO_ENCODE, encodeURIComponent);
  if (status !== NO_STATUS && !REDIRECTS.includes(status))
    throw new RangeError(`Parameter "status" must be one of ${REDIRECTS.join(', ')} with a redirect`);
  const url = LOCATION.test(location) ? URL.parse(location, 'https://relative.invalid') : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('Parameter "redirect" must be an encoded path, or an http or https URL');
  return { status: status === NO_STATUS ? 302 : status, headers: { ...headers, location }, body: null };
};

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path?: string;
  readonly domain?: string;
  /** 0 removes the cookie; if absent, it is kept until the browser is closed. */
  readonly maxAgeSeconds?: number;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'Strict' | 'Lax' | 'None';
}

/** Matches a cookie value (`cookie-octet` in RFC 6265 §4.1.1). */
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
/** Any character but a control character or `;`. */
const ATTRIBUTE = /^[\x20-\x3a\x3c-\x7e]*$/;

/** Maximum size of a cookie with its attributes that every browser accepts (RFC 6265 §6.1). */
const MAX_LENGTH = 4_096;

/**
 * Formats a value of `Set-Cookie` (RFC 6265 §4.1.1; `SameSite` by RFC 6265bis §5.6.7).
 * @param place - place of the cookie in the parameters, for errors
 * @throws TypeError that names the place, without the value, which may be secret
 */
const toSetCookie = (cookie: Cookie, place: string): string => {
  const { name, value, path, domain, maxAgeSeconds, httpOnly, secure, sameSite } = cookie;
  const refuse = (field: string, reason: string): never => {
    throw new TypeError(`Parameter "${place}.${field}" ${reason}`);
  };
  if (!isToken(name)) refuse('name', 'is not a name that HTTP allows');
  if (!VALUE.test(value)) refuse('value', "contains a character that a cookie can't contain: encode it");
  if (!ATTRIBUTE.test(path ?? '')) refuse('path', 'contains a character that a cookie cannot have');
  if (!ATTRIBUTE.test(domain ?? '')) refuse('domain', 'contains a character that a cookie cannot have');
  if (sameSite === 'None' && !secure) refuse('secure', 'must be true with "sameSite": "None"');
  const text = [
    `${name}=${value}`,
    ...(path === undefined ? [] : [`Path=${path}`]),
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(secure ? ['Secure'] : []),
    `SameSite=${sameSite}`,
  ].join('; ');
  return text.length > MAX_LENGTH
    ? refuse('value', `makes the cookie longer than ${MAX_LENGTH} characters`)
    : text;
};
