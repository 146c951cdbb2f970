import { AppError } from '../shared/errors.ts';

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** 6 MB have room for three million, which take a second to parse, check and store. */
const MAX_NESTED = 500_000;

/**
 * Limits the depth of a JSON text, valid or not: `JSON.parse` accepts millions of levels, but recursive functions such
 * as `JSON.stringify` overflow the stack at a few thousand. Limits its lists and maps as well.
 * @throws AppError `BODY_TOO_DEEP` when it has more than `limit` levels, `BODY_INVALID` when it has too many lists and maps
 */
export const limitDepth = (text: string, limit: number): void => {
  if (!hasMoreThan(text, limit)) return;
  let depth = 0;
  let nested = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) {
      inString = true;
    } else if (code === OPEN_LIST || code === OPEN_MAP) {
      depth += 1;
      if (depth > limit) throw new AppError('BODY_TOO_DEEP', { limit });
      nested += 1;
      if (nested > MAX_NESTED)
        throw new AppError('BODY_INVALID', { reason: `it has more than ${MAX_NESTED} lists and maps` });
    } else if (code === CLOSE_LIST || code === CLOSE_MAP) {
      depth -= 1;
    }
  }
};

/** Whether a text has more brackets that open than `limit`, in strings or not: most bodies have fewer. */
const hasMoreThan = (text: string, limit: number): boolean => {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1 && count <= limit; at = text.indexOf(bracket, at + 1))
      count += 1;
  }
  return count > limit;
};
