import jsonBodyParser from '@middy/http-json-body-parser';
import type { JsonValue } from '../contract/json.ts';
import { AppError } from '../shared/errors.ts';
import { limitDepth } from './limit-depth.ts';

const NUMBER_TOO_LARGE = 'it holds a number that is too large';

/** `1e400` parses to Infinity, which JSON can't carry on. */
const refuseInfinity = (_key: string, value: unknown): unknown => {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw new Error(NUMBER_TOO_LARGE);
  return value;
};

// Whether a body is JSON has been decided before, on the normalised content type; the parser would test the raw one.
const parser = jsonBodyParser({ disableContentTypeCheck: true, reviver: refuseInfinity });

/**
 * Parses the text of a JSON body with middy's parser, which also refuses the keys that could change a prototype:
 * `__proto__`, and `constructor` with a `prototype` in it. The depth is checked before.
 * @throws AppError `BODY_TOO_DEEP` | `BODY_INVALID`
 */
export const parseJsonBody = (text: string, maxDepth: number): JsonValue => {
  limitDepth(text, maxDepth);
  const request: ParserRequest = { event: { body: text, isBase64Encoded: false } };
  try {
    parse(request);
  } catch (error) {
    throw new AppError('BODY_INVALID', { reason: toReason(error) });
  }
  return request.event.body;
};

/** All that the parser reads of a request. It answers by putting the value in the text's place. */
interface ParserRequest {
  readonly event: { body: JsonValue; readonly isBase64Encoded: boolean };
}

const parse = parser.before as unknown as (request: ParserRequest) => void;

/** Never the parser's own sentence, nor the error as a cause: they quote the body. */
const toReason = (error: unknown): string => {
  if (!(error instanceof Error)) return 'it is not valid JSON';
  if (error.message === 'Forbidden key in JSON body') return 'it holds a key that is not allowed';
  const { cause } = error;
  const message = typeof cause === 'object' && cause !== null && 'message' in cause ? cause.message : '';
  if (message === NUMBER_TOO_LARGE) return NUMBER_TOO_LARGE;
  const [, position] = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(String(message)) ?? [];
  return position === undefined
    ? 'it is not valid JSON'
    : `it is not valid JSON, see the character at ${position}`;
};
