import type { JsonValue } from '../contract/json.ts';

/**
 * Digits from which on an integer may be beyond 2^53 − 1, which has as many. Doubles, JSON numbers in JavaScript, hold
 * every integer up to there; 8202522731445525542 would become 8202522731445526000.
 */
const MANY = 16;

const [QUOTE, BACKSLASH, MINUS, PLUS, DOT, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e, 0x30, 0x39];
const [LARGE_E, SMALL_E] = [0x45, 0x65];

/**
 * Parses JSON that comes from outside. An integer, a literal without fraction and exponent, that a number can't hold
 * keeps its digits as a string: beyond ±(2^53 − 1). All other numbers are those of `JSON.parse`.
 *
 * @throws SyntaxError
 */
export const parseJson = (text: string): JsonValue => JSON.parse(toExactJson(text));

/**
 * Puts the integers of a JSON text that a number can't hold into quotes; text that is not JSON is unchanged. Takes time
 * proportional to the text; without many digits in a row, only every sixteenth character is read.
 */
export const toExactJson = (text: string): string => {
  if (!hasManyDigits(text)) return text;
  const exact = quoteIntegers(text);
  return exact === text || !isJson(text) ? text : exact;
};

/** Whether a text is an integer, as JSON writes it, that a number can't hold. */
export const isBigInteger = (text: string): boolean => {
  const first = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (text.length - first < MANY || text.charCodeAt(first) === ZERO) return false;
  for (let at = first; at < text.length; at += 1) if (!isDigit(text.charCodeAt(at))) return false;
  return !Number.isSafeInteger(Number(text));
};

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Of as many characters in a row, one has a position that is a multiple of their number. */
const hasManyDigits = (text: string): boolean => {
  for (let at = MANY - 1; at < text.length; at += MANY) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let [start, end] = [at, at + 1];
    while (isDigit(text.charCodeAt(start - 1)) && at - start < MANY) start -= 1;
    while (isDigit(text.charCodeAt(end)) && end - at < MANY) end += 1;
    if (end - start >= MANY) return true;
  }
  return false;
};

/** The text must be JSON: numbers stand between its strings, and keys are strings. */
const quoteIntegers = (text: string): string => {
  let exact = '';
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at);
    else if (code === MINUS || isDigit(code)) {
      const end = findNumberEnd(text, at);
      const number = end - at < MANY ? '' : text.slice(at, end);
      if (isBigInteger(number)) {
        exact += `${text.slice(copied, at)}"${number}"`;
        copied = end;
      }
      at = end;
    } else at += 1;
  }
  return copied === 0 ? text : exact + text.slice(copied);
};

/** The position after a string that begins at `start`. */
const findStringEnd = (text: string, start: number): number => {
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    let slash = quote;
    while (text.charCodeAt(slash - 1) === BACKSLASH) slash -= 1;
    if ((quote - slash) % 2 === 0) return quote + 1;
    from = quote + 1;
  }
};

/** The position after the characters of numbers from `start` on. */
const findNumberEnd = (text: string, start: number): number => {
  let end = start + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
};

const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === DOT || code === MINUS || code === PLUS || code === SMALL_E || code === LARGE_E;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
