/** Where an XML declaration is: at the start, in characters of ASCII. */
const DECLARATION_BYTES = 200;

/**
 * Decodes a document by its byte order mark, the charset of its content type, or its XML declaration; as UTF-8 when
 * they name none that is known (RFC 7303 §3).
 */
export const decodeXml = (bytes: Uint8Array, contentType: string): string => {
  const [, charset] = /\bcharset="?([\w:.-]{1,40})/i.exec(contentType.slice(0, 500)) ?? [];
  const [start = ''] = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1').split('?>');
  const declaration = start.trimStart().startsWith('<?xml') ? start : '';
  const [, declared] = /\sencoding=["']([\w:.-]{1,40})["']/.exec(declaration) ?? [];
  for (const label of [findMark(bytes), charset, declared]) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(bytes);
    } catch {} // a label that no decoder has
  }
  return new TextDecoder().decode(bytes);
};

const findMark = ([first, second, third]: Uint8Array): string | undefined => {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
};
