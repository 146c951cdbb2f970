import { readIsoTime } from '@hookloom/counted-jsonata/times';
import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { ID_PATTERN, isId } from '@hookloom/plugin-kit/host';
import * as v from 'valibot';
import { QUERY_INVALID } from './error-catalogue.ts';
import { AppError } from './errors.ts';

/**
 * Validates the fields of a query, given as strings, and fills in defaults.
 *
 * @param prefix - put before field names in messages
 * @throws AppError `QUERY_INVALID` when a field is invalid
 */
export const parseFields = <Schema extends v.GenericSchema>(
  schema: Schema,
  fields: unknown,
  prefix = '',
): v.InferOutput<Schema> => {
  const { success, output, issues } = v.safeParse(schema, fields, { abortEarly: true });
  if (success) return output;
  const [{ path, message, type }] = issues;
  const what = type === 'object' && message.startsWith('Invalid key') ? 'is missing' : message;
  const keys = path?.map(({ key }) => key).filter((key) => typeof key === 'string') ?? [];
  const place = keys.map((key) => key.slice(0, MAX_KEY_LENGTH)).join('.');
  throw new AppError(QUERY_INVALID, { reason: `${prefix}${place} ${what}` });
};

/** Length of a key of nested fields in a message. */
const MAX_KEY_LENGTH = 40;

// `v.metadata` is what the OpenAPI document says of a field in place of the string that is read.

export const text = v.string('must be a string');

const MAX_MESSAGE_LENGTH = 500;

/** Why a caller changes something. */
export const messageText = v.pipe(
  text,
  v.maxLength(MAX_MESSAGE_LENGTH, `must have at most ${MAX_MESSAGE_LENGTH} characters`),
);

/** A field with a description, null by default. */
export const optional = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.nullish(v.pipe(schema, v.description(description)), null);

export const cursor = optional(text, 'The `nextCursor` of the previous page');

/** @param message - such as `must be a workflow id` */
export const idText = (message: string) =>
  v.pipe(
    text,
    v.check((value) => isId(value), message),
    v.metadata({ pattern: ID_PATTERN }),
  );

const oneOf = <const Words extends readonly string[]>(words: Words) =>
  v.picklist(words, `must be one of ${words.join(', ')}`);

export const word = <const Words extends readonly string[]>(words: Words) =>
  v.pipe(text, v.metadata({ enum: words }), oneOf(words));

/** Whether one of the texts contains the wanted one, in any case; null matches everything. */
export const hasText = (wanted: string | null, ...texts: readonly string[]): boolean =>
  wanted === null || texts.some((one) => one.toLowerCase().includes(wanted.toLowerCase()));

/** A comma-separated list of distinct words; empty by default. */
export const wordList = <const Words extends readonly string[]>(words: Words) =>
  v.pipe(
    v.optional(text, ''),
    v.metadata({ description: `Separated by commas: ${words.join(', ')}` }),
    v.transform((list) => (list === '' ? [] : [...new Set(list.split(',').map((one) => one.trim()))])),
    v.array(oneOf(words)),
  );

export const count = ({ initial, max }: { readonly initial: number; readonly max: number }) =>
  v.pipe(
    v.optional(text, String(initial)),
    v.metadata({ type: 'integer', minimum: 1, maximum: max, default: initial }),
    v.transform(Number),
    v.check(
      (number) => Number.isInteger(number) && number >= 1 && number <= max,
      `must be an integer from 1 to ${max}`,
    ),
  );

/** Entries of a page of a list. */
export const PAGE = { initial: 25, max: 100 };

export const pageSize = count(PAGE);

/** An option that counts from 1, such as a version. */
export const positive = v.pipe(
  v.number('must be an integer of 1 or more'),
  v.safeInteger('must be an integer of 1 or more'),
  v.minValue(1, 'must be an integer of 1 or more'),
);

export const jsonObject = v.pipe(
  v.unknown(),
  v.check((value) => isPlainObject(value), 'must be a JSON object'),
  v.metadata({ type: 'object', additionalProperties: true }),
  v.transform((value) => value as JsonObject),
);

/** The last time with a four-digit year. */
const MAX_TIME = 253_402_300_799_999;

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** NaN if invalid. */
export const parseTime = (given: string): number => {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const read = INSTANT.test(given) ? readIsoTime(given) : null;
  return read === null ? Number.NaN : read.local - (read.offsetMs ?? 0);
};

export const TIME_FORMS = 'ISO 8601 with a time zone, a date (UTC), or milliseconds since the epoch';

export const isTime = (instant: number): boolean => instant >= 0 && instant <= MAX_TIME;

export const NO_TIME = 'must be a time such as 2026-01-31T09:00:00Z, or milliseconds since 1970';

/**
 * A time in a query: ISO 8601 with a time zone, a date (its first moment, UTC), or milliseconds since the epoch; null
 * by default.
 */
export const time = v.nullish(
  v.pipe(
    text,
    v.metadata({
      description: TIME_FORMS,
      examples: ['2026-01-31T09:00:00Z'],
    }),
    v.transform(parseTime),
    v.check(isTime, NO_TIME),
  ),
  null,
);
