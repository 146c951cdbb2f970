/** A letter of `__proto__` or `constructor` written as an escape. */
const ESCAPED_LETTER = /\\u00(?:5[fF]|6[3eEfF]|7[02345])/;

/** An exponent of three digits or more, followed by the end of the number: in hashes, digits also follow an `e`. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3,}(?:[\s,\]}]|$)/;

/** With an exponent of two digits, fewer digits than these stay below the largest double, 1.8e308. */
const MANY_DIGITS = /(?<!\d)\d{210}/;

/** Whether a JSON text may have a key `__proto__` or `constructor`, in any spelling. False only if it has none. */
export const hintsAtPrototype = (text: string): boolean =>
  text.includes('__proto__') ||
  text.includes('constructor') ||
  (text.includes('\\u00') && ESCAPED_LETTER.test(text));

/** Whether a JSON text may have a number that overflows to Infinity. False only if it has none. */
export const hintsAtOverflow = (text: string): boolean => LARGE_EXPONENT.test(text) || MANY_DIGITS.test(text);
