import { type JsonValue, toExactJson } from '@hookloom/plugin-kit';
import jsonBodyParser from '@middy/http-json-body-parser';
import { BODY_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { limitJson } from './limit-json.ts';

const NUMBER_TOO_LARGE = 'it contains a number that is too large';

/** Throws on Infinity, to which `1e400` parses, and which is not JSON. */
const refuseInfinity = (_key: string, value: unknown): unknown => {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw new Error(NUMBER_TOO_LARGE);
  return value;
};

// The normalised content type has already been checked; the parser would check the raw one.
const parser = jsonBodyParser({ disableContentTypeCheck: true, reviver: refuseInfinity });

/**
 * Parses a JSON body and refuses numbers that overflow and keys that could change a prototype: `__proto__`, and
 * `constructor` with a `prototype` in it. Only a text that hints at one goes through middy's parser, which calls a
 * function for every value: `JSON.parse` alone takes a seventh of the time.
 *
 * @param rounds - whether an integer that a number can't hold is rounded; else it is a string of its digits, as with
 *   `parseJson` of the kit
 * @throws AppError `BODY_TOO_DEEP` | `BODY_INVALID`
 */
export const parseJsonBody = (text: string, maxDepth: number, rounds = false): JsonValue => {
  limitJson(text, maxDepth);
  const exact = rounds ? text : toExactJson(text);
  try {
    return hintsAtPrototype(exact) || hintsAtOverflow(exact) ? parseEveryValue(exact) : JSON.parse(exact);
  } catch (error) {
    throw new AppError(BODY_INVALID, { reason: toReason(error) });
  }
};

const parseEveryValue = (text: string): JsonValue => {
  const request: ParserRequest = { event: { body: text, isBase64Encoded: false } };
  parse(request);
  return request.event.body;
};

/** The fields of an event that the parser uses. It replaces the text with the parsed value. */
interface ParserRequest {
  readonly event: { body: JsonValue; readonly isBase64Encoded: boolean };
}

const parse = parser.before as unknown as (request: ParserRequest) => void;

/** A reason without the parser's message, which quotes the body. */
const toReason = (error: unknown): string => {
  if (!(error instanceof Error)) return 'it is not valid JSON';
  if (error.message === 'Forbidden key in JSON body') return 'it contains a key that is not allowed';
  const { message } = error.cause instanceof Object && 'message' in error.cause ? error.cause : error;
  if (message === NUMBER_TOO_LARGE) return NUMBER_TOO_LARGE;
  const [, position] = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(String(message)) ?? [];
  return position === undefined ? 'it is not valid JSON' : `it is not valid JSON at position ${position}`;
};

/** A letter of `__proto__` or `constructor` written as an escape. */
const ESCAPED_LETTER = /\\u00(?:5[fF]|6[3eEfF]|7[02345])/;

/** An exponent of three digits or more, followed by the end of the number: in hashes, digits also follow an `e`. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3,}(?:[\s,\]}]|$)/;

/** Matches so many digits that a two-digit exponent could exceed the largest double, 1.8e308. */
const MANY_DIGITS = /(?<!\d)\d{210}/;

/** Whether a JSON text may have a key `__proto__` or `constructor`, in any spelling. False only if it has none. */
export const hintsAtPrototype = (text: string): boolean =>
  text.includes('__proto__') ||
  text.includes('constructor') ||
  (text.includes('\\u00') && ESCAPED_LETTER.test(text));

/** Whether a JSON text may have a number that overflows to Infinity. False only if it has none. */
export const hintsAtOverflow = (text: string): boolean => LARGE_EXPONENT.test(text) || MANY_DIGITS.test(text);
