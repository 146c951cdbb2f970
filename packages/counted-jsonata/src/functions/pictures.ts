import { suggestPicture } from '../date-pictures.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { type Native, native } from '../native.ts';
import type { Run } from '../run.ts';

/** Library functions that format and parse by a picture. They are fast if picture and value are short. */
export interface PictureLibrary {
  readonly formatNumber: LibraryFunction;
  readonly formatInteger: LibraryFunction;
  readonly parseInteger: LibraryFunction;
  readonly toMillis: LibraryFunction;
  readonly fromMillis: LibraryFunction;
}

export type LibraryFunction = (this: unknown, ...args: readonly unknown[]) => unknown;

/** Maximum UTF-16 units of a picture, and of the text that it parses. Some of the work is quadratic. */
const longestPicture = 300;
const longestText = 310; // the largest number has 309 digits
/** Roman numerals of larger numbers have one `m` per thousand. */
const largestRoman = 1_000_000;
/** Whether a date picture has a component of hundreds of digits: `[Y,999]`. */
const isTooWide = (picture: string): boolean =>
  picture.split(']').some((place) => {
    const start = place.indexOf('[');
    const comma = place.lastIndexOf(',');
    return start !== -1 && comma > start && /[0-9]{3}/.test(place.slice(comma));
  });

/** Calls a function of the library, whose errors are plain objects. */
const call = (
  run: Run,
  implementation: LibraryFunction,
  token: string,
  ...args: readonly unknown[]
): unknown => {
  // The library fills in missing parts of a date from this time.
  const focus = { environment: { timestamp: new Date(run.environment.startedAt()) } };
  try {
    return implementation.apply(focus, [...args]);
  } catch (error) {
    const { code, value } = error as { readonly code?: string; readonly value?: unknown };
    throw code === undefined ? error : new EvaluationError(code, { value, token });
  }
};

const tooLong = (token: string) => new EvaluationError('D3150', { token });

/** Spends the cost of a picture and its value. @throws EvaluationError `D3150` when one is too long */
const check = ({ budget }: Run, token: string, picture: unknown, value: unknown): void => {
  const pictureLength = typeof picture === 'string' ? picture.length : 0;
  const valueLength = typeof value === 'string' ? value.length : countDigits(value);
  if (pictureLength > longestPicture || valueLength > longestText) throw tooLong(token);
  budget.spend(16 + (valueLength + (pictureLength * (pictureLength + valueLength)) / 16) / 8);
};

/** @throws EvaluationError `D3151` for a picture in another tool's language, which would be output literally */
const checkDatePicture = (token: string, picture: string): void => {
  const meant = suggestPicture(picture);
  if (meant === null) return;
  const message = meant === '' ? ', as in "[Y0001]-[M01]-[D01]"' : `; did you mean ${JSON.stringify(meant)}?`;
  throw new EvaluationError('D3151', { value: picture, message, token });
};

const countDigits = (value: unknown): number =>
  typeof value === 'number' && value !== 0 ? Math.abs(Math.log10(Math.abs(value))) : 0;

/** Number of ways to split a text of a given length into date components. A failing match tries all of them. */
const countWays = (length: number, places: number): number => {
  let ways = 1;
  for (let place = 1; place < places; place++) ways *= (length + place) / place;
  return ways;
};

/**
 * The largest number of date components in a row without separators. The library parses with a backtracking pattern,
 * which tries all ways to split the text among them.
 */
const countAdjacent = (picture: string): number => {
  let most = 1;
  let run = 1;
  let marker = '';
  let literal = '';
  for (const part of picture.split(/(\[[^\][]*\])/)) {
    if (!part.startsWith('[')) {
      literal = part;
      continue;
    }
    run = marker === '' || separates(marker, literal) ? 1 : run + 1;
    most = Math.max(most, run);
    marker = part;
  }
  return most;
};

/**
 * Whether a literal cannot be mistaken for a part of the component before it, which consists of digits if it has no
 * modifier.
 */
const separates = (marker: string, literal: string): boolean => {
  const isNumeric = /^\[[YMDdWwXxHhmsf]([0-9#]+o?)?(,[^\]]*)?\]$/.test(marker);
  return isNumeric
    ? /[^0-9a-z]/i.test(literal) || /^[A-Z]+$/i.test(literal)
    : /[^0-9a-z ,:+-]/i.test(literal);
};

export const createPictureFunctions = (library: PictureLibrary): Readonly<Record<string, Native>> => {
  const fromMillis = (run: Run, millis: unknown, picture?: string, timezone?: string) => {
    check(run, 'fromMillis', picture, timezone);
    if (picture !== undefined) {
      if (isTooWide(picture)) throw tooLong('fromMillis');
      checkDatePicture('fromMillis', picture);
    }
    return call(run, library.fromMillis, 'fromMillis', millis, picture, timezone);
  };

  return {
    formatNumber: native('<n-so?:s>', (run, value: unknown, picture: string, options?: object) => {
      check(run, 'formatNumber', picture, value);
      return call(run, library.formatNumber, 'formatNumber', value, picture, options);
    }),
    formatInteger: native('<n-s:s>', (run, value: unknown, picture: string) => {
      check(run, 'formatInteger', picture, value);
      const isRoman = /^[Ii](;|$)/.test(picture);
      if (isRoman && Math.abs(Number(value)) > largestRoman) throw tooLong('formatInteger');
      if (isRoman) run.budget.spend(Math.abs(Number(value ?? 0)) / 256);
      return call(run, library.formatInteger, 'formatInteger', value, picture);
    }),
    parseInteger: native('<s-s:n>', (run, value: unknown, picture: string) => {
      check(run, 'parseInteger', picture, value);
      return call(run, library.parseInteger, 'parseInteger', value, picture);
    }),
    toMillis: native('<s-s?:n>', (run, text: unknown, picture?: string) => {
      check(run, 'toMillis', picture, text);
      if (picture !== undefined && typeof text === 'string') {
        if (isTooWide(picture)) throw tooLong('toMillis');
        checkDatePicture('toMillis', picture);
        run.budget.spend(countWays(text.length, countAdjacent(picture)) / 16);
      }
      return call(run, library.toMillis, 'toMillis', text, picture);
    }),
    fromMillis: native('<n-s?s?:s>', fromMillis),
    now: native('<s?s?:s>', (run, ...[picture, timezone]: [string?, string?]) =>
      fromMillis(run, run.environment.startedAt(), picture, timezone),
    ),
  };
};
