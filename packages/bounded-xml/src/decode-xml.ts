/** Matches the XML declaration, which is ASCII and at the start of the document. */
const DECLARATION_BYTES = 200;

/**
 * Decodes a document by its byte order mark, the charset of its content type or its XML declaration, in this order; as
 * UTF-8 when none of them names a known encoding (RFC 7303 §3).
 */
export const decodeXml = (bytes: Uint8Array, contentType: string): string => {
  const [, charset] = /\bcharset="?([\w:.-]{1,40})/i.exec(contentType.slice(0, 500)) ?? [];
  const [start = ''] = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1').split('?>');
  const declaration = start.trimStart().startsWith('<?xml') ? start : '';
  const [, declared] = /\sencoding=["']([\w:.-]{1,40})["']/.exec(declaration) ?? [];
  for (const label of [findMark(bytes), charset, declared]) {
    if (label === undefined || (declaration !== '' && UTF_16.test(label))) continue;
    try {
      return new TextDecoder(label).decode(bytes);
    } catch {} // no decoder knows this label
  }
  return new TextDecoder().decode(bytes);
};

/** What a declaration that is readable as ASCII can't be in. */
const UTF_16 = /^(?:utf-?16|ucs-?2|unicode|iso-10646-ucs-2)/i;

const findMark = ([first, second, third]: Uint8Array): string | undefined => {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0) ? 'utf-16le' : undefined;
};
