import type { BodyFile } from '../../body/body-files.ts';

/** U+FFFD, with which busboy replaces bytes that are not UTF-8, and its own UTF-8 bytes. */
const REPLACEMENT = '\ufffd';
const [FIRST, SECOND, THIRD] = [0xef, 0xbf, 0xbd];

/**
 * Whether texts of a body have U+FFFD in place of bytes that are not UTF-8: more of them than were sent. File contents
 * may be any bytes and are not counted.
 *
 * @param bytes - of the body
 * @param files - of the body
 */
export const hasUndecoded = (
  texts: readonly string[],
  bytes: Uint8Array,
  files: readonly BodyFile[],
): boolean => {
  const found = texts.reduce((count, text) => count + countIn(text), 0);
  if (found === 0) return false;
  const inFiles = files.reduce((count, { content }) => count + countInBytes(content), 0);
  return found > countInBytes(bytes) - inFiles;
};

const countIn = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, at + 1)) count += 1;
  return count;
};

const countInBytes = (bytes: Uint8Array): number => {
  let count = 0;
  for (let at = 0; at < bytes.length - 2; at++)
    if (bytes[at] === FIRST && bytes[at + 1] === SECOND && bytes[at + 2] === THIRD) count += 1;
  return count;
};
