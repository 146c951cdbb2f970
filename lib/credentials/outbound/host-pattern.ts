// The hosts that a credential is limited to: `api.example.com`, `*.example.com`, either with `:port`, and `*`.

/** Any host: an explicit choice, never a default. */
export const ANY_HOST = '*';

const MAX_LENGTH = 300;
const PATTERN = /^(\*\.)?([^\s/?#@\\*:[\]]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?$/;

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Parses a pattern as written by a person.
 *
 * @returns the pattern, normalised to lower case like hosts in URLs; null if it is invalid
 */
export const readHostPattern = (text: string): string | null => {
  if (text === ANY_HOST) return ANY_HOST;
  const [, wildcard = '', host = '', port] = (text.length > MAX_LENGTH ? null : PATTERN.exec(text)) ?? [];
  const hostname = URL.parse(`https://${host}`)?.hostname;
  if (hostname === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  return `${wildcard}${hostname}${port === undefined ? '' : `:${Number(port)}`}`;
};

/**
 * Patterns that match hosts for which a credential was not so far.
 *
 * @param before - null for a credential for any host
 */
export const findAddedHosts = (
  before: readonly string[] | null,
  after: readonly string[],
): readonly string[] =>
  before === null ? [] : after.filter((pattern) => !before.some((one) => includes(one, pattern)));

/** Whether each host that a pattern matches is one of another pattern. */
const includes = (wide: string, narrow: string): boolean =>
  wide === ANY_HOST || wide === narrow || (wide.startsWith('*.') && narrow.endsWith(wide.slice(1)));

/**
 * The pattern that matches only the host of a URL: `api.example.com`, or `127.0.0.1:4010`.
 *
 * @returns null for a URL that can't be requested
 */
export const hostOfUrl = (url: string): string | null => {
  const parsed = URL.parse(url);
  return parsed === null || defaultPorts[parsed.protocol] === undefined ? null : parsed.host;
};

/** Whether one of the patterns matches the host of a URL. A pattern without a port means the default port of the URL's scheme. */
export const isForHost = (patterns: readonly string[], url: string): boolean => {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  const initialPort = defaultPorts[parsed.protocol];
  if (initialPort === undefined) return false;
  const port = parsed.port || initialPort;
  return patterns.some((pattern) => {
    if (pattern === ANY_HOST) return true;
    const [, wildcard, host = '', ownPort = initialPort] = PATTERN.exec(pattern) ?? [];
    const isHost = wildcard === undefined ? parsed.hostname === host : parsed.hostname.endsWith(`.${host}`);
    return isHost && port === ownPort;
  });
};
