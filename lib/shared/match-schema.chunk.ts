import { compileJsonSchema, type JsonMap } from '@hookloom/bounded-schema';
import { BODY_SCHEMA_MISMATCH } from './error-catalogue.ts';
import { AppError } from './errors.ts';

/** Maximum number of values in a checked body; bodies with more are refused. */
const MAX_VALUES = 100_000;
/** About 90,000 checks of a value, or patterns over 6,000,000 characters: 45 to 110 ms. */
const MAX_WORK = 1_500_000;
/** Up to how many values all violations are reported, not just the first. */
const MAX_VALUES_IN_FULL = 10_000;
/** Maximum number of violations in a response. */
const MAX_ERRORS = 50;
/** Maximum length of a pointer or a message, which contain keys of the body, in characters. */
const MAX_CHARACTERS = 200;

/**
 * Compiles a JSON Schema that was tested when its workflow was stored.
 * @returns a function that throws AppError `BODY_SCHEMA_MISMATCH` with the violations, but no values, of what does not
 * match, and returns null otherwise, as a judge of requests does
 */
export const matchSchema = (rule: JsonMap): ((body: unknown) => null) => {
  const findViolations = compileJsonSchema(rule);
  return (body) => {
    const count = countValues(body, MAX_VALUES);
    if (count > MAX_VALUES) throw unchecked(`it has more than ${MAX_VALUES} values`);
    const violations = refuseUncheckable(() =>
      findViolations(body, { onlyFirst: count > MAX_VALUES_IN_FULL, maxWork: MAX_WORK }),
    );
    if (violations.length === 0) return null;
    const errors = violations.slice(0, MAX_ERRORS).map(({ pointer, keyword, message }) => ({
      pointer: shortenProblem(pointer),
      detail: shortenProblem(describeViolation(keyword, message)),
    }));
    throw new AppError(BODY_SCHEMA_MISMATCH, { errors });
  };
};

/** If checking fails now, the body is the cause. */
const refuseUncheckable = <Result>(find: () => Result): Result => {
  try {
    return find();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw unchecked('checking takes too many steps, or a key is not valid Unicode', cause);
  }
};

const unchecked = (reason: string, cause?: unknown): AppError => {
  const errors = [{ pointer: '#', detail: `The body can't be checked: ${reason}.` }];
  return new AppError(BODY_SCHEMA_MISMATCH, { errors }, cause);
};

/** Counts the values at any depth, and stops above the limit. */
const countValues = (body: unknown, limit: number): number => {
  let count = 1;
  const open: unknown[] = [body];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) {
      count += next.length;
      if (count > limit) return count;
      for (const value of next) open.push(value);
      continue;
    }
    for (const key in next) {
      count += 1;
      if (count > limit) return count;
      open.push((next as JsonMap)[key]);
    }
  }
  return count;
};

/** Keywords for numbers: their messages begin with the number itself. */
const numeric = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']);

const describeViolation = (keyword: string, message: string): string => {
  if (keyword === 'false') return 'No value is allowed here.';
  return numeric.has(keyword) ? `Number${message.slice(message.indexOf(' '))}` : message;
};

const shortenProblem = (text: string): string =>
  text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…`;
