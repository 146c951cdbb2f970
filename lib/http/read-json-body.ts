import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { BODY_INVALID, CONTENT_TYPE_UNSUPPORTED, QUERY_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { refuseBigNumbers } from '../shared/refuse-big-numbers.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { readQuery } from './read-parameters.ts';
import { limitBody, readWebhookEvent } from './read-webhook-event.ts';

const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * The JSON body of a request; undefined without one. The content type must be JSON: for a page of another origin,
 * browsers send that only after a CORS preflight, but text, forms and bytes without one.
 *
 * @throws AppError `CONTENT_TYPE_UNSUPPORTED` | `BODY_INVALID` | `BODY_TOO_DEEP`
 */
const readJsonBody = (
  event: unknown,
  { maxDepth, now, bigNumbers }: Omit<BodyLimits, 'maxBytes'>,
): JsonValue | undefined => {
  const { headers, rawBody } = readWebhookEvent(event, now);
  if (rawBody.length === 0) return undefined;
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) throw new AppError(CONTENT_TYPE_UNSUPPORTED, {});
  const text = Buffer.from(rawBody).toString();
  const value = parseJsonBody(text, maxDepth, bigNumbers === 'round');
  if (bigNumbers === 'refuse') refuseBigNumbers(text, value);
  return value;
};

interface OptionNames {
  readonly names: readonly string[];
  readonly numbers?: readonly string[];
  readonly maxDepth?: number;
}

/**
 * What becomes of an integer that a number can't hold: its digits as a string, as `parseJson` of the kit has it; the body
 * is refused; or it is rounded, for a check of its own.
 */
export type BigNumbers = 'string' | 'refuse' | 'round';

interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly bigNumbers?: BigNumbers | undefined;
}

/**
 * The JSON body of a request, checked; a missing body counts as an empty object. Messages name the place, never the
 * value, which may be a secret.
 *
 * @throws AppError `BODY_TOO_LARGE` | `CONTENT_TYPE_UNSUPPORTED` | `BODY_INVALID` | `BODY_TOO_DEEP`
 */
export const parseBody = <Schema extends v.GenericSchema>(
  event: unknown,
  schema: Schema,
  { maxBytes, ...limits }: BodyLimits,
): v.InferOutput<Schema> => {
  limitBody(event, maxBytes);
  const body = readJsonBody(event, limits) ?? {};
  const { success, output, issues } = v.safeParse(schema, body, { abortEarly: true });
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

/** Types as in messages. */
const TYPES: Readonly<Record<string, string>> = {
  Object: 'an object',
  Array: 'a list',
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
};

const WHOLE_NUMBER = /^\d{1,15}$/;

/**
 * The options of a request, from its query or a JSON body; all are optional.
 *
 * @param names - the allowed options
 * @param maxDepth - maximum nesting of the body, in levels; 5 if absent
 * @param numbers - the numeric ones: a query has only strings, while a JSON body is typed
 * @param now - milliseconds since the epoch
 * @throws AppError `QUERY_INVALID` | `CONTENT_TYPE_UNSUPPORTED` | `BODY_INVALID` | `BODY_TOO_DEEP`
 */
export const readOptions = (
  event: unknown,
  { names, numbers = [], maxDepth = 5 }: OptionNames,
  now: number,
): Readonly<Record<string, unknown>> => {
  const query = readQuery(event, names);
  const body = readJsonBody(event, { maxDepth, now }) ?? {};
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
