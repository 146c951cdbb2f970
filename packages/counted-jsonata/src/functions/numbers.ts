import { EvaluationError } from '../evaluation-error.ts';
import { type Native, native } from '../native.ts';
import type { Run } from '../run.ts';
import { sum } from '../sum.ts';

type Numbers = readonly number[] | undefined;

const fold = (
  { budget }: Run,
  numbers: Numbers,
  combine: (numbers: readonly number[]) => number,
): number | undefined => {
  if (numbers === undefined) return undefined;
  budget.readItems(numbers.length);
  return combine(numbers);
};

const ifGiven = <Value, Result>(
  value: Value | undefined,
  map: (value: Value) => Result,
): Result | undefined => (value === undefined ? undefined : map(value));

/** Moves the decimal point in the text of a number, since a multiplication would add a rounding error. */
const shift = (value: number, places: number): number => {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + places}`);
};

/** Rounds halves to the even neighbour. */
const roundHalfEven = (value: number, precision = 0): number => {
  const shifted = precision === 0 ? value : shift(value, precision);
  const nearest = Math.round(shifted);
  const isOddHalf = Math.abs(nearest - shifted) === 0.5 && Math.abs(nearest % 2) === 1;
  const rounded = isOddHalf ? nearest - 1 : nearest;
  return (precision === 0 ? rounded : shift(rounded, -precision)) + 0; // no negative zero
};

const decimal = /^-?[0-9]+(\.[0-9]+)?([Ee][-+]?[0-9]+)?$/;
const prefixed = /^(?:0[xX][0-9A-Fa-f]+|0[oO][0-7]+|0[bB][01]+)$/;

const toNumber = ({ budget }: Run, value: unknown): number | undefined => {
  if (value === undefined) return undefined;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') {
    budget.read(value.length);
    const number = decimal.test(value) || prefixed.test(value) ? Number(value) : Number.NaN;
    if (Number.isFinite(number)) return number;
  }
  throw new EvaluationError('D3030', { value });
};

const power = (base: number, exponent: number): number => {
  const result = base ** exponent;
  if (!Number.isFinite(result)) throw new EvaluationError('D3061', { value: base });
  return result;
};

const formatBase = (value: number, radix = 10): string => {
  const base = roundHalfEven(radix);
  if (base < 2 || base > 36) throw new EvaluationError('D3100', { value: base });
  return roundHalfEven(value).toString(base);
};

export const numberFunctions: Readonly<Record<string, Native>> = {
  sum: native('<a<n>:n>', (run, numbers: Numbers) => fold(run, numbers, sum)),
  max: native('<a<n>:n>', (run, numbers: Numbers) =>
    fold(run, numbers?.length === 0 ? undefined : numbers, (all) => all.reduce((a, b) => Math.max(a, b))),
  ),
  min: native('<a<n>:n>', (run, numbers: Numbers) =>
    fold(run, numbers?.length === 0 ? undefined : numbers, (all) => all.reduce((a, b) => Math.min(a, b))),
  ),
  average: native('<a<n>:n>', (run, numbers: Numbers) =>
    fold(run, numbers?.length === 0 ? undefined : numbers, (all) => sum(all) / all.length),
  ),
  number: native('<(nsb)-:n>', toNumber),
  floor: native('<n-:n>', (_run, value?: number) => ifGiven(value, Math.floor)),
  ceil: native('<n-:n>', (_run, value?: number) => ifGiven(value, Math.ceil)),
  abs: native('<n-:n>', (_run, value?: number) => ifGiven(value, Math.abs)),
  round: native('<n-n?:n>', (_run, value?: number, precision?: number) =>
    ifGiven(value, (number) => roundHalfEven(number, precision)),
  ),
  sqrt: native('<n-:n>', (_run, value?: number) =>
    ifGiven(value, (number) => {
      if (number < 0) throw new EvaluationError('D3060', { value: number });
      return Math.sqrt(number);
    }),
  ),
  power: native('<n-n:n>', (_run, base: number | undefined, exponent: number) =>
    ifGiven(base, (number) => power(number, exponent)),
  ),
  formatBase: native('<n-n?:s>', (_run, value?: number, radix?: number) =>
    ifGiven(value, (number) => formatBase(number, radix)),
  ),
  millis: native('<:n>', (run) => run.environment.startedAt()),
};
