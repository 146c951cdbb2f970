const MAX_NAME_LENGTH = 255;

/** @returns the last part of a path, without control characters and bounded; `file` when nothing is left */
export const toFileName = (text: string): string => {
  const lastPart = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  const printable = lastPart.slice(0, MAX_NAME_LENGTH).replace(/\p{C}/gu, '').trim();
  return printable === '' || printable === '.' || printable === '..' ? 'file' : printable;
};

/** `type/subtype` and parameters (RFC 9110 §8.3.1), all of printable ASCII: it may become a header. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~\dA-Za-z-]+\/[!#$%&'*+.^_`|~\dA-Za-z-]+(?: ?;[ -~]*)?$/;

/** @returns `application/octet-stream` in place of what is not a media type */
export const toMediaType = (text: string): string =>
  text.length <= MAX_NAME_LENGTH && MEDIA_TYPE.test(text) ? text : 'application/octet-stream';
