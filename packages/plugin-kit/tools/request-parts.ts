import { asFinal } from '../contract/errors.ts';
import type { JsonValue } from '../contract/json.ts';
import type { NodeContext } from '../contract/node.ts';
import type { OutboundRequest } from '../contract/services.ts';
import { wrongParameter } from '../declare/read-parameters.ts';

/**
 * A URL with more query parameters: a list repeats the name, null and undefined add nothing.
 *
 * @throws TypeError that names the parameter, without its value: a query may hold a secret
 */
export const addQuery = (text: string, query: Readonly<Record<string, JsonValue | undefined>>): string => {
  const url = URL.parse(text);
  if (url === null) throw asFinal(new TypeError('Parameter "url" is not an absolute URL'));
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null || item === undefined) continue;
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
 * @throws TypeError that names the parameter but not its value, which may contain a secret; RangeError for a path with a
 * segment of dots, which would lead elsewhere
 */
export const joinUrl = (baseUrl: string, path: string): string => {
  const url = URL.parse(baseUrl);
  if (url === null) throw asFinal(new TypeError('Parameter "baseUrl" is not an absolute URL'));
  if (
    path
      .replaceAll(/[\t\n\r]/g, '')
      .split(/[\\/]/)
      .some(isDotSegment)
  )
    throw asFinal(new RangeError('The path of the request must not have a segment . or ..'));
  const { pathname } = url;
  url.pathname = `${pathname.endsWith('/') ? pathname.slice(0, -1) : pathname}${path}`;
  return url.href;
};

/** Whether the parser of URLs takes a segment of a path for `.` or `..` (URL Standard §4.4), which it removes. */
export const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);

/** The client's timeout is later than the node's, so that the node's message is shown. */
const TIMEOUT_MARGIN_MS = 1_000;

/** What a node's requests take from the attempt: the remaining time and the credential. */
export const fromAttempt = ({
  remainingMs,
  signal,
  credential,
}: NodeContext): Pick<OutboundRequest, 'timeoutMs' | 'signal' | 'credential'> => ({
  timeoutMs: remainingMs() + TIMEOUT_MARGIN_MS,
  signal,
  ...(credential === null ? {} : { credential }),
});

/** The header that links a request to the trace of its execution (W3C Trace Context); empty without a trace. */
export const toTraceHeaders = ({
  execution,
  traceparent = execution.traceparent,
}: NodeContext): Record<string, string> => (traceparent === undefined ? {} : { traceparent });

/** A field name: RFC 9110 §5.1, §5.6.2 (token). */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A field value: RFC 9110 §5.5. No control character but a tab, so that no value can add a header line. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers of one connection (RFC 9110 §7.6.1) or of the body's framing: a workflow can't set them. */
const reserved: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a text is a valid name of a method or a header. */
export const isToken = (text: string): boolean => token.test(text);

export const isReservedHeader = (name: string): boolean => reserved.has(name.toLowerCase());

/**
 * What is wrong with a header set by a workflow, as the end of a sentence and without the value; null if it is valid.
 */
export const findHeaderProblem = (name: string, value: string): string | null => {
  if (!isToken(name)) return 'is not a valid header name';
  if (isReservedHeader(name)) return 'is set by the connection and cannot be chosen';
  return fieldValue.test(value) ? null : 'has a value with characters that a header cannot carry';
};
