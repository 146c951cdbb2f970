import { type JsonObject, type JsonValue, toExactJson } from '@hookloom/plugin-kit';
import jsonBodyParser from '@middy/http-json-body-parser';
import { toPointerKey } from '../shared/describe.ts';
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
 * What becomes of an integer that a number can't hold: its digits as a string, as `parseJson` of the kit has it; the body
 * is refused; or it is rounded, for a check of its own.
 */
export type BigNumbers = 'string' | 'refuse' | 'round';

/**
 * Parses a JSON body and refuses numbers that overflow and keys that could change a prototype: `__proto__`, and
 * `constructor` with a `prototype` in it. Only a text that hints at one goes through middy's parser, which calls a
 * function for every value: `JSON.parse` alone takes a seventh of the time.
 * @throws AppError `BODY_TOO_DEEP` | `BODY_INVALID`
 */
export const parseJsonBody = (
  text: string,
  maxDepth: number,
  bigNumbers: BigNumbers = 'string',
): JsonValue => {
  limitJson(text, maxDepth);
  const exact = bigNumbers === 'round' ? text : toExactJson(text);
  const value = parseSafely(exact);
  if (bigNumbers === 'refuse' && exact !== text) refuseBigNumbers(JSON.parse(text), value);
  return value;
};

const parseSafely = (text: string): JsonValue => {
  try {
    return hintsAtPrototype(text) || hintsAtOverflow(text) ? parseEveryValue(text) : JSON.parse(text);
  } catch (error) {
    throw new AppError(BODY_INVALID, { reason: toReason(error) });
  }
};

/** @throws AppError `BODY_INVALID` with the place of the first integer that is a string in the exact value */
const refuseBigNumbers = (rounded: JsonValue, exact: JsonValue, place = ''): void => {
  if (typeof rounded === 'number' && typeof exact === 'string')
    throw new AppError(BODY_INVALID, {
      reason: `${place.slice(0, MAX_PLACE) || 'it'} is an integer beyond ±${Number.MAX_SAFE_INTEGER}: send it as a string`,
      isJson: true,
    });
  if (typeof rounded !== 'object' || rounded === null) return;
  for (const [key, inner] of Object.entries(rounded))
    refuseBigNumbers(inner, (exact as JsonObject)[key] ?? null, `${place}/${toPointerKey(key)}`);
};

/** Characters of a place in a message: keys are the sender's. */
const MAX_PLACE = 200;

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
