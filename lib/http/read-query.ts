import { AppError } from '../shared/errors.ts';

/**
 * The query of a request, by name; what is given without a value is not given. @throws AppError `QUERY_INVALID` for a
 * parameter that is given twice, or that is not among `names`: a misspelt filter that was ignored would answer another
 * question.
 */
export const readQuery = <Name extends string>(
  event: unknown,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> => {
  const { rawQueryString } = (event ?? {}) as { readonly rawQueryString?: unknown };
  const query: Partial<Record<Name, string>> = {};
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(typeof rawQueryString === 'string' ? rawQueryString : '')) {
    const known = names.find((candidate) => candidate === name);
    if (known === undefined) throw refuse(`there is no parameter ${quote(name)}${others(names)}`);
    if (seen.has(name)) throw refuse(`${known} is given twice`);
    seen.add(name);
    if (value !== '') query[known] = value;
  }
  return query;
};

const refuse = (reason: string): AppError => new AppError('QUERY_INVALID', { reason });

/** A name from the request, shortened, as a JSON string for a message. */
const quote = (name: string): string => JSON.stringify(name.slice(0, 40));

const others = (names: readonly string[]): string => (names.length === 0 ? '' : `, but ${names.join(', ')}`);

/** One of a few words. @throws AppError `QUERY_INVALID` */
export const readWord = <Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
): Word | null => {
  if (text === undefined) return null;
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw refuse(`${name} is one of ${words.join(', ')}`);
  return word;
};

/** Any of a few words, comma separated; none when nothing is given. @throws AppError `QUERY_INVALID` */
export const readWords = <Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
): readonly Word[] => {
  if (text === undefined) return [];
  const given = text.split(',').map((word) => readWord(name, word.trim(), words));
  return [...new Set(given.filter((word) => word !== null))];
};

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** The last time with a year of four digits. */
const MAX_TIME = 253_402_300_799_999;

/**
 * ISO 8601 with a time zone, a date (its first moment, UTC), or milliseconds since the epoch.
 * @throws AppError `QUERY_INVALID`
 */
export const readTime = (name: string, text: string | undefined): number | null => {
  if (text === undefined) return null;
  const time = /^\d{1,15}$/.test(text) ? Number(text) : parseInstant(text);
  if (time >= 0 && time <= MAX_TIME) return time;
  throw refuse(`${name} is a time such as 2026-01-31T09:00:00Z, or milliseconds since 1970`);
};

/** NaN for what is no time; the engine would take 30 February for 2 March. */
const parseInstant = (text: string): number => {
  const [, date] = INSTANT.exec(text) ?? [];
  if (date === undefined) return Number.NaN;
  const midnight = Date.parse(date);
  const isDate = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  return isDate ? Date.parse(text) : Number.NaN;
};

/** @throws AppError `QUERY_INVALID` */
export const readCount = (
  name: string,
  text: string | undefined,
  { initial, max }: { readonly initial: number; readonly max: number },
): number => {
  const count = text === undefined ? initial : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw refuse(`${name} is a whole number from 1 to ${max}`);
};
