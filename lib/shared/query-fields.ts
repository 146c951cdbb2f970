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
  const [{ path, message }] = issues;
  throw new AppError(QUERY_INVALID, { reason: `${prefix}${path?.[0].key} ${message}` });
};

export const text = v.string('must be a string');

const oneOf = <const Words extends readonly string[]>(words: Words) =>
  v.picklist(words, `must be one of ${words.join(', ')}`);

export const word = <const Words extends readonly string[]>(words: Words) => v.pipe(text, oneOf(words));

/** Whether one of the texts contains the wanted one, in any case; null matches everything. */
export const hasText = (wanted: string | null, ...texts: readonly string[]): boolean =>
  wanted === null || texts.some((one) => one.toLowerCase().includes(wanted.toLowerCase()));

/** A comma-separated list of distinct words; empty by default. */
export const wordList = <const Words extends readonly string[]>(words: Words) =>
  v.pipe(
    v.optional(text, ''),
    v.transform((list) => (list === '' ? [] : [...new Set(list.split(',').map((one) => one.trim()))])),
    v.array(oneOf(words)),
  );

export const count = ({ initial, max }: { readonly initial: number; readonly max: number }) =>
  v.pipe(
    v.optional(text, String(initial)),
    v.transform(Number),
    v.check(
      (number) => Number.isInteger(number) && number >= 1 && number <= max,
      `must be an integer from 1 to ${max}`,
    ),
  );

/** The last time with a four-digit year. */
const MAX_TIME = 253_402_300_799_999;

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** NaN if invalid. `Date.parse` alone reads 30 February as 2 March. */
const parseTime = (given: string): number => {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const [, date] = INSTANT.exec(given) ?? [];
  if (date === undefined) return Number.NaN;
  const midnight = Date.parse(date);
  const isDate = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  return isDate ? Date.parse(given) : Number.NaN;
};

/**
 * A time in a query: ISO 8601 with a time zone, a date (its first moment, UTC), or milliseconds since the epoch; null
 * by default.
 */
export const time = v.nullish(
  v.pipe(
    text,
    v.transform(parseTime),
    v.check(
      (instant) => instant >= 0 && instant <= MAX_TIME,
      'must be a time such as 2026-01-31T09:00:00Z, or milliseconds since 1970',
    ),
  ),
  null,
);
