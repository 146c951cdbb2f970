import { EvaluationError } from '../evaluation-error.ts';
import { type Native, native } from '../native.ts';
import type { Run } from '../run.ts';

/** Library functions that format and parse by a picture. They are fast if picture and value are short. */
export interface PictureLibrary {
  readonly formatNumber: LibraryFunction;
  readonly formatInteger: LibraryFunction;
  readonly parseInteger: LibraryFunction;
  readonly fromMillis: LibraryFunction;
}

export type LibraryFunction = (...args: readonly unknown[]) => unknown;

/** Maximum UTF-16 units of a picture, and of the text that it parses. Some of the work is quadratic. */
const longestPicture = 300;
const longestText = 310; // the largest number has 309 digits
/** Roman numerals of larger numbers have one `m` per thousand. */
const largestRoman = 1_000_000;

/** Calls a function of the library, whose errors are plain objects. */
export const call = (
  implementation: LibraryFunction,
  token: string,
  ...args: readonly unknown[]
): unknown => {
  try {
    return implementation(...args);
  } catch (error) {
    const { code, value } = error as { readonly code?: string; readonly value?: unknown };
    throw code === undefined ? error : new EvaluationError(code, { value, token });
  }
};

export const tooLong = (token: string) => new EvaluationError('D3150', { token });

/** Spends the cost of a picture and its value. @throws EvaluationError `D3150` when one is too long */
export const spendOnPicture = ({ budget }: Run, token: string, picture: unknown, value: unknown): void => {
  const pictureLength = typeof picture === 'string' ? picture.length : 0;
  const valueLength = typeof value === 'string' ? value.length : countDigits(value);
  if (pictureLength > longestPicture || valueLength > longestText) throw tooLong(token);
  budget.spend(16 + (valueLength + (pictureLength * (pictureLength + valueLength)) / 16) / 8);
};

const countDigits = (value: unknown): number =>
  typeof value === 'number' && value !== 0 ? Math.abs(Math.log10(Math.abs(value))) : 0;

export const createPictureFunctions = (library: PictureLibrary): Readonly<Record<string, Native>> => ({
  formatNumber: native('<n-so?:s>', (run, value: unknown, picture: string, options?: object) => {
    spendOnPicture(run, 'formatNumber', picture, value);
    return call(library.formatNumber, 'formatNumber', value, picture, options);
  }),
  formatInteger: native('<n-s:s>', (run, value: unknown, picture: string) => {
    spendOnPicture(run, 'formatInteger', picture, value);
    const isRoman = /^[Ii](;|$)/.test(picture);
    if (isRoman && Math.abs(Number(value)) > largestRoman) throw tooLong('formatInteger');
    if (isRoman) run.budget.spend(Math.abs(Number(value ?? 0)) / 256);
    return call(library.formatInteger, 'formatInteger', value, picture);
  }),
  parseInteger: native('<s-s:n>', (run, value: unknown, picture: string) => {
    spendOnPicture(run, 'parseInteger', picture, value);
    const number = call(library.parseInteger, 'parseInteger', value, picture);
    // The library gives NaN for what is no number, which no comparison would notice.
    if (Number.isNaN(number)) throw new EvaluationError('D3030', { value });
    return number;
  }),
});
