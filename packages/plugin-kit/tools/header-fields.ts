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
