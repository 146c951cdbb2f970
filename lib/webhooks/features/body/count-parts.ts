import { getDecoder, parseContentType, parseDisposition } from 'busboy/lib/utils.js';

/** The longest part headers that busboy reads. */
const MAX_HEADER_BYTES = 16 * 1024;

interface Counted {
  /** Parts with readable headers, up to the first without. */
  readonly count: number;
  /** Whether the next part has no `Content-Disposition: form-data` that busboy can read: busboy would skip that part. */
  readonly isUnreadable: boolean;
}

/**
 * Counts the parts of `multipart/form-data` by the same delimiters and headers as busboy (RFC 2046 §5.1.1, RFC 7578
 * §4.2).
 *
 * @param maxCount - counting stops beyond it
 */
export const countParts = (contentType: string, body: Uint8Array, maxCount: number): Counted => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const delimiter = `\r\n--${parseContentType(contentType)?.params.boundary}`;
  const first = delimiter.slice(2);
  let at = bytes.subarray(0, first.length).equals(Buffer.from(first)) ? -2 : bytes.indexOf(delimiter);
  for (let count = 0; ; count += 1) {
    const from = at + delimiter.length;
    const next = at === -1 ? -1 : bytes.indexOf(delimiter, from);
    const isOver = next === -1 || count > maxCount || bytes.toString('latin1', from, from + 2) === '--';
    if (isOver) return { count, isUnreadable: false };
    if (!isFormData(bytes.subarray(from, next))) return { count, isUnreadable: true };
    at = next;
  }
};

/** @param part - including the line break before its headers */
const isFormData = (part: Buffer): boolean => {
  const end = part.indexOf('\r\n\r\n');
  const headers = part.toString('latin1', 0, Math.min(end, MAX_HEADER_BYTES));
  if (end === -1 || !headers.startsWith('\r\n')) return false;
  const [, value = ''] = /\r\ncontent-disposition:[\t ]*((?:[^\r]|\r\n[\t ])*)/i.exec(headers) ?? [];
  return parseDisposition(value.replaceAll('\r\n', ''), getDecoder('utf8'))?.type === 'form-data';
};
