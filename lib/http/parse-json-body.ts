import { randomInt } from 'node:crypto';
import { type JsonValue, toExactJson } from '@hookloom/plugin-kit';
import jsonBodyParser from '@middy/http-json-body-parser';
import { BODY_INVALID, BODY_TOO_DEEP } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';

const NUMBER_TOO_LARGE = 'it contains a number that is too large';

/** Throws on Infinity, to which `1e400` parses, and which is not JSON. */
const refuseInfinity = (_key: string, value: unknown): unknown => {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw new Error(NUMBER_TOO_LARGE);
  return value;
};

/**
 * Middy's parser, as the one door for JSON has it. The normalised content type has already been checked; the parser would check
 * the raw one. Integers that a number can't hold are in quotes before it sees them (`toExactJson`): it gives its reviver key and
 * value, but not the source of a number, from which their digits could be read.
 */
export const jsonParser = jsonBodyParser({ disableContentTypeCheck: true, reviver: refuseInfinity });

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
    throw new AppError(BODY_INVALID, { reason: describeJsonError(error) });
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

const parse = jsonParser.before as unknown as (request: ParserRequest) => void;

/** What a parser's error says of a body, without its message, which quotes the body. */
export const describeJsonError = (error: unknown): string => {
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

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const [COLON, COMMA] = [0x3a, 0x2c];

/**
 * Maximum number of arrays and objects, and of values. More would fit into 6 MB, but take longer to parse, check and
 * store than the rest of the request.
 */
const MAX_NESTED = 500_000;
const MAX_VALUES = 1_000_000;
/**
 * Maximum number of object shapes. The runtime keeps a shape for each distinct sequence of leading keys of an object;
 * beyond a certain number, each object gets its own hash table.
 */
const MAX_SHAPES = 50_000;
const SOME_SHAPES = 1_000;
const MAX_NESTED_OF_MANY_SHAPES = 100_000;

/** Shapes are compared by a hash with a random multiplier, so no sender can provoke collisions. */
const MULTIPLIER = randomInt(2 ** 31) * 2 + 1;

/**
 * Limits a JSON text, valid or not, before it is parsed: its depth, since `JSON.parse` accepts millions of levels, but
 * recursive functions such as `JSON.stringify` overflow the stack at a few thousand; its number of values; and the
 * shapes of its objects.
 *
 * @throws AppError `BODY_TOO_DEEP` when it has more than `maxDepth` levels, `BODY_INVALID` when it exceeds another
 *   limit
 */
export const limitJson = (text: string, maxDepth = Number.POSITIVE_INFINITY): void => {
  const mayBeTooLarge =
    hasMoreThan(text, Math.min(maxDepth, MAX_NESTED_OF_MANY_SHAPES), '{', '[') ||
    hasMoreThan(text, MAX_SHAPES, ':') ||
    hasMoreThan(text, MAX_VALUES - 1, ',');
  if (!mayBeTooLarge) return; // as most bodies
  const shapes = new Set<number>();
  /** The shapes of the open arrays and objects, by level. */
  const open = [0];
  let [depth, nested, values, name] = [0, 0, 1, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        name = 0;
        for (at += 1; at < text.length; at += 1) {
          const code = text.charCodeAt(at);
          if (code === QUOTE) break;
          name = mix(name + code);
          if (code === BACKSLASH) at += 1;
        }
        break;
      case COLON:
        open[depth] = mix((open[depth] ?? 0) ^ name);
        if (shapes.add(open[depth] ?? 0).size > MAX_SHAPES) refuseMoreThan(MAX_SHAPES, 'object shapes');
        break;
      case COMMA:
        values += 1;
        if (values > MAX_VALUES) refuseMoreThan(MAX_VALUES, 'values');
        break;
      case OPEN_LIST:
      case OPEN_MAP:
        depth += 1;
        if (depth > maxDepth) throw new AppError(BODY_TOO_DEEP, { limit: maxDepth });
        open[depth] = 0;
        nested += 1;
        if (nested > MAX_NESTED) refuseMoreThan(MAX_NESTED, 'arrays and objects');
        break;
      case CLOSE_LIST:
      case CLOSE_MAP:
        depth -= 1;
        if (depth < 0) return; // not JSON
    }
  }
  if (nested > MAX_NESTED_OF_MANY_SHAPES && shapes.size > SOME_SHAPES)
    refuseMoreThan(MAX_NESTED_OF_MANY_SHAPES, `arrays and objects, and ${SOME_SHAPES} object shapes`);
};

/** Whether a text has more of these characters than `limit`, in strings or not. */
const hasMoreThan = (text: string, limit: number, ...characters: readonly string[]): boolean => {
  if (text.length <= limit) return false;
  let count = 0;
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1 && count <= limit; at = text.indexOf(character, at + 1))
      count += 1;
  }
  return count > limit;
};

/** The shift lets high bits reach low ones: without it, one multiplier in 70 counts thousands of shapes as one. */
const mix = (hash: number): number => {
  const product = Math.imul(hash, MULTIPLIER);
  return product ^ (product >>> 15);
};

const refuseMoreThan = (limit: number, what: string): never => {
  throw new AppError(BODY_INVALID, { reason: `it has more than ${limit} ${what}` });
};
