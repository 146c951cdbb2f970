import type { BodyFile } from '../../body/body-files.ts';

/** U+FFFD, which busboy puts in the place of bytes that are not UTF-8, and its own bytes. */
const REPLACEMENT = '\ufffd';
const [FIRST, SECOND, THIRD] = [0xef, 0xbf, 0xbd];

/**
 * Whether texts of a body have U+FFFD in the place of bytes that are not UTF-8: more of them than were sent. The content
 * of files may be of any bytes, and counts for nothing.
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
