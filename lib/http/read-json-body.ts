import { isPlainObject, type JsonValue, toExactJson } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { BODY_INVALID, CONTENT_TYPE_UNSUPPORTED, QUERY_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { refuseBigNumbers } from '../shared/refuse-big-numbers.ts';
import type { Call, Middleware } from './create-handler.ts';
import { describeJsonError, limitJson } from './parse-json-body.ts';
import { limitBody } from './read-webhook-event.ts';

const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /**
   * What becomes of an integer that a number can't hold: its digits as a string, as `parseJson` of the kit has it, by
   * default; or the body is refused; or it is rounded, for a check of its own.
   */
  readonly bigNumbers?: 'string' | 'refuse' | 'round';
}

/** A call of a route that reads a body. */
export interface BodyCall extends Call {
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
  /** The text, exact and within the limits, which middy's parser replaces with its value. */
  body: JsonValue;
  isBase64Encoded: false;
}

/**
 * The middleware that limits the JSON body of a request, before middy's parser; a missing body counts as an empty object. The
 * content type must be JSON: for a page of another origin, browsers send that only after a CORS preflight, but text, forms and
 * bytes without one. Its errors are `BODY_TOO_LARGE`, `CONTENT_TYPE_UNSUPPORTED`, `BODY_INVALID` and `BODY_TOO_DEEP`.
 */
export const limitJsonBody = ({ maxBytes, maxDepth, bigNumbers }: BodyLimits): Middleware<BodyCall> => ({
  before: ({ event: call }) => {
    limitBody(call.event, maxBytes);
    const text = Buffer.from(call.rawBody).toString();
    if (text !== '' && !JSON_TYPE.test(call.headers['content-type'] ?? ''))
      throw new AppError(CONTENT_TYPE_UNSUPPORTED, {});
    limitJson(text, maxDepth);
    call.isBase64Encoded = false;
    call.body = text === '' ? '{}' : bigNumbers === 'round' ? text : toExactJson(text);
  },
  onError: (passed) => {
    // Only errors of middy's parser have a `statusCode`; ours have a `status`.
    if ((passed.error as { readonly statusCode?: unknown } | undefined)?.statusCode === 422)
      passed.error = new AppError(BODY_INVALID, { reason: describeJsonError(passed.error) });
  },
});

/**
 * The body of a request, checked; null counts as an empty object. Messages name the place, never the value, which may be a
 * secret.
 *
 * @throws AppError `BODY_INVALID`
 */
export const checkBody = <Schema extends v.GenericSchema>(
  { body, rawBody }: BodyCall,
  schema: Schema,
  { bigNumbers }: BodyLimits,
): v.InferOutput<Schema> => {
  if (bigNumbers === 'refuse') refuseBigNumbers(Buffer.from(rawBody).toString(), body);
  const { success, output, issues } = v.safeParse(schema, body ?? {}, { abortEarly: true });
  if (success) return output;
  const [{ path = [], expected, received, message, kind }] = issues;
  const place = path.map(({ key }) => `/${String(key).slice(0, 40)}`).join('');
  const isMissing = received === 'undefined' && path.length > 0;
  // Valibot's own messages contain the value.
  const isOurs = kind === 'validation' || !message.startsWith('Invalid ');
  const problem = isOurs
    ? message
    : expected === 'never'
      ? 'is not known'
      : isMissing
        ? 'is missing'
        : `must be ${TYPES[expected ?? ''] ?? expected}`;
  throw new AppError(BODY_INVALID, { reason: `${place || 'it'} ${problem}` });
};

const TYPES: Readonly<Record<string, string>> = {
  Object: 'an object',
  Array: 'a list',
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
};

const WHOLE_NUMBER = /^\d{1,15}$/;

/**
 * The options of a request, from its query and a JSON body; all are optional.
 *
 * @param query - whose names are among the allowed ones
 * @param numbers - the numeric ones: a query has only strings, while a JSON body is typed
 * @throws AppError `QUERY_INVALID` | `BODY_INVALID`
 */
export const readOptions = (
  { body: sent }: BodyCall,
  query: Readonly<Record<string, string>>,
  { names, numbers }: { readonly names: readonly string[]; readonly numbers: readonly string[] },
): Readonly<Record<string, unknown>> => {
  const body = sent ?? {};
  if (!isPlainObject(body)) throw new AppError(BODY_INVALID, { reason: 'it must be a JSON object' });
  for (const name of Object.keys(body)) {
    if (!names.includes(name))
      throw new AppError(QUERY_INVALID, {
        reason: `unknown option ${JSON.stringify(name.slice(0, 40))}, expected ${names.join(' or ')}`,
      });
    if (Object.hasOwn(query, name)) throw new AppError(QUERY_INVALID, { reason: `${name} is given twice` });
  }
  const typed = Object.entries(query).map(([name, value]) => [
    name,
    numbers.includes(name) && WHOLE_NUMBER.test(value) ? Number(value) : value,
  ]);
  return { ...body, ...Object.fromEntries(typed) };
};
