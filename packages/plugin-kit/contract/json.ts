/** A JSON value (RFC 8259): no `undefined`, no `Date`, no `NaN`. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys are data: a key such as `__proto__` is an own property like any other. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is a plain object: not an array, null, a primitive or an instance of a class. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Whether two JSON values are equal: arrays by position, objects by their own keys in any order. */
export const jsonEquals = (left: JsonValue, right: JsonValue): boolean => {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    return Array.isArray(left) && Array.isArray(right) && arraysEqual(left, right);
  }
  const leftEntries = Object.entries(left);
  const rightEntries = new Map<string, JsonValue>(Object.entries(right));
  return (
    leftEntries.length === rightEntries.size &&
    leftEntries.every(([key, value]) => {
      const other = rightEntries.get(key);
      return other !== undefined && jsonEquals(value, other);
    })
  );
};

const arraysEqual = (left: readonly JsonValue[], right: readonly JsonValue[]): boolean =>
  left.length === right.length &&
  left.every((value, index) => {
    const other = right[index];
    return other !== undefined && jsonEquals(value, other);
  });

/**
 * Digits from which on an integer may be beyond 2^53 − 1, which has as many. Doubles, JSON numbers in JavaScript, hold
 * every integer up to there; 8202522731445525542 would become 8202522731445526000.
 */
const MANY = 16;

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const PLUS = 0x2b;
const COMMA = 0x2c;
const SMALL_E = 0x65;

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

const MANY_DIGITS = /\d{16}/;

/** Of as many characters in a row, one has a position that is a multiple of their number. */
const hasManyDigits = (text: string): boolean => {
  for (let at = MANY - 1; at < text.length; at += MANY)
    if (isDigit(text.charCodeAt(at)) && MANY_DIGITS.test(text.slice(at + 1 - MANY, at + MANY))) return true;
  return false;
};

/** The text must be JSON: numbers stand between its strings, and keys are strings. */
const quoteIntegers = (text: string): string => {
  let exact = '';
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at);
    else if (isOfNumber(code)) {
      const start = at;
      while (isOfNumber(text.charCodeAt(at))) at += 1;
      const number = text.slice(start, at);
      if (!isBigInteger(number)) continue;
      exact += `${text.slice(copied, start)}"${number}"`;
      copied = at;
    } else at += 1;
  }
  return exact + text.slice(copied);
};

/**
 * Characters of numbers, and a slash, which JSON has only in strings. Not a pattern: in a process that has compiled many,
 * V8 stops optimizing them, and one that takes millions of digits then exceeds its stack.
 */
const isOfNumber = (code: number): boolean =>
  (code >= PLUS && code <= NINE && code !== COMMA) || (code | 0x20) === SMALL_E;

/** The position after a string that begins at `start`. */
const findStringEnd = (text: string, start: number): number => {
  let end = start;
  for (let slashes = 1; slashes % 2 === 1; ) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    for (slashes = 0; text[end - 1 - slashes] === '\\'; ) slashes += 1;
  }
  return end + 1;
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
