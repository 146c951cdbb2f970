import { AppError } from '../errors.ts';

/**
 * The query of a request, by name. @throws AppError `QUERY_INVALID` for a parameter that is given twice, or that is not
 * among `names`: a misspelt filter that was ignored would answer another question.
 */
export const readQuery = <Name extends string>(
  event: unknown,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> => {
  const { rawQueryString } = (event ?? {}) as { readonly rawQueryString?: unknown };
  const query: Partial<Record<Name, string>> = {};
  for (const [name, value] of new URLSearchParams(typeof rawQueryString === 'string' ? rawQueryString : '')) {
    const known = names.find((candidate) => candidate === name);
    if (known === undefined)
      throw refuse(`there is no parameter ${JSON.stringify(name)}, but ${names.join(', ')}`);
    if (query[known] !== undefined) throw refuse(`${known} is given twice`);
    if (value !== '') query[known] = value;
  }
  return query;
};

const refuse = (reason: string): AppError => new AppError('QUERY_INVALID', { reason });

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

/** ISO 8601 with a time zone, or milliseconds since the epoch. @throws AppError `QUERY_INVALID` */
export const readTime = (name: string, text: string | undefined): number | null => {
  if (text === undefined) return null;
  const isInstant = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(
    text,
  );
  const time = /^\d{1,15}$/.test(text) ? Number(text) : isInstant ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw refuse(`${name} is a time such as 2026-01-31T09:00:00Z, or milliseconds since 1970`);
  return time;
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
