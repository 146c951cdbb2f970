/** W3C Trace Context, version 00 and what extends it: https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The place in a trace that a request belongs to; null when it says none, or something else. */
export const readTraceparent = (header: unknown): string | null =>
  typeof header === 'string' && TRACEPARENT.test(header) ? header : null;
