import { isNetwork, isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import { didYouMean, quote, quoteAll, toPointerKey } from '../../shared/describe.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { Problem } from '../../workflows/definition/problem.ts';

/**
 * The largest number that EventBridge compares:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#filtering-numeric-matching
 */
const MAX_NUMBER = 5e9;

/** Maximum number of digits after the decimal point, from the same source. */
const MAX_DECIMALS = 6;

/** Finds the problems of an operand; their paths are relative to it. */
type Check = (operand: JsonValue) => readonly Problem[];

const problem = (message: string, path = ''): readonly Problem[] => [{ path, message }];

const text: Check = (operand) => (typeof operand === 'string' ? [] : problem('must be a string'));

const filledText: Check = (operand) =>
  typeof operand === 'string' && operand !== '' ? [] : problem('must be a string that is not empty');

/**
 * Why a string is not a wildcard pattern; null if it is one. `*` matches any number of characters, including none; `\*`
 * and `\\` match themselves:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-wildcard-matching
 */
const findWildcardProblem = (pattern: string): string | null => {
  for (let at = 0; at < pattern.length; at++) {
    const next = pattern[at + 1];
    if (pattern[at] === '*' && next === '*') return 'has two asterisks in a row: one is enough';
    if (pattern[at] !== '\\') continue;
    if (next !== '*' && next !== '\\')
      return 'has a backslash that escapes neither "*" nor "\\": write "\\\\" for a backslash';
    at++;
  }
  return null;
};

const wildcard: Check = (operand) => {
  const fault = typeof operand === 'string' ? findWildcardProblem(operand) : 'must be a string';
  return fault === null ? [] : problem(fault);
};

const number: Check = (operand) => {
  if (typeof operand !== 'number') return problem('must be a number');
  if (Math.abs(operand) > MAX_NUMBER) return problem('must be a number from -5e9 to 5e9');
  return Number(operand.toFixed(MAX_DECIMALS)) === operand
    ? []
    : problem('must have no more than six digits after the decimal point');
};

const textOrIgnoringCase: Check = (operand) =>
  isPlainObject(operand)
    ? findOperatorProblems(operand, { 'equals-ignore-case': text })
    : problemUnless(typeof operand === 'string', 'must be a string, or {"equals-ignore-case": …}');

const exists: Check = (operand) => problemUnless(typeof operand === 'boolean', 'must be true or false');

const problemUnless = (isRight: boolean, message: string): readonly Problem[] =>
  isRight ? [] : problem(message);

const numeric: Check = (operand) => {
  if (!Array.isArray(operand)) return problem('must be an array, such as [">", 0, "<=", 5]');
  const [first, , second] = operand;
  if (!['=', '<', '<=', '>', '>='].includes(first))
    return problem('must be "=", "<", "<=", ">" or ">="', '/0');
  const isRange = operand.length > 2;
  if (isRange && !['>', '>='].includes(first))
    return problem('must have one comparison and one number, or begin with ">" or ">="');
  if (isRange && !['<', '<='].includes(second)) return problem('must be "<" or "<="', '/2');
  if (operand.length !== (isRange ? 4 : 2))
    return problem('must have a number for each comparison, and no more than two comparisons');
  const places = isRange ? [1, 3] : [1];
  const problems = places.flatMap((at) => prefixed(number(operand[at]), `/${at}`));
  if (problems.length > 0 || !isRange || operand[1] < operand[3]) return problems;
  return problem('must have a lower bound below the upper one');
};

const cidr: Check = (operand) => {
  if (typeof operand !== 'string' || !isNetwork(operand))
    return problem('must be a network in CIDR notation, such as 10.0.0.0/24 or 2001:db8::/32');
  const isSingle = operand.endsWith(operand.includes(':') ? '/128' : '/32');
  return problemUnless(!isSingle, 'is a single address: write it as a value, without cidr and without "/"');
};

const oneOrMore =
  (check: Check): Check =>
  (operand) => {
    if (!Array.isArray(operand)) return check(operand);
    if (operand.length === 0) return problem('must not be an empty array');
    return operand.flatMap((one, index) => prefixed(check(one), `/${index}`));
  };

const exclusions: Readonly<Record<string, Check>> = {
  prefix: oneOrMore(filledText),
  suffix: oneOrMore(filledText),
  'equals-ignore-case': oneOrMore(text),
  wildcard: oneOrMore(wildcard),
};

const anythingBut: Check = (operand) => {
  if (isPlainObject(operand)) return findOperatorProblems(operand, exclusions);
  const values = Array.isArray(operand) ? operand : [operand];
  if (values.length > 0 && values.every((value) => typeof value === 'string')) return [];
  if (values.some((value) => typeof value !== 'number'))
    return problem('must contain only strings or only numbers, and no true, false or null');
  return oneOrMore(number)(operand);
};

const operators: Readonly<Record<string, Check>> = {
  prefix: textOrIgnoringCase,
  suffix: textOrIgnoringCase,
  'equals-ignore-case': text,
  wildcard,
  'anything-but': anythingBut,
  numeric,
  exists,
  cidr,
};

/** Names that fields inside `$or` must not have: event-ruler's RESERVED_FIELD_NAMES_IN_OR_RELATIONSHIP. */
export const reservedInOr: ReadonlySet<string> = new Set([
  ...Object.keys(operators),
  'exactly',
  '=',
  '<',
  '<=',
  '>',
  '>=',
  'regex',
  'not-wildcard',
  'not-equals-ignore-case',
  'date-after',
  'date-on-or-after',
  'date-before',
  'date-on-or-before',
  'in-date-range',
  'ip-address-in-range',
  'ip-address-not-in-range',
]);

/**
 * Problems of an object in the array of a field, such as `{"prefix": "a"}`.
 *
 * @param known - operators by name, with the check of their operand
 */
export const findOperatorProblems = (
  condition: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, Check>> = operators,
): readonly Problem[] => {
  const [[operator, operand] = ['', null], ...more] = Object.entries(condition);
  if (operator === '' || more.length > 0) return problem('must have one operator, such as {"prefix": "a"}');
  if (!Object.hasOwn(known, operator)) return problem(`has ${describeUnknown(operator, Object.keys(known))}`);
  return prefixed(known[operator]?.(operand as JsonValue) ?? [], `/${toPointerKey(operator)}`);
};

const describeUnknown = (operator: string, known: readonly string[]): string => {
  const nearest = findNearest(operator, known);
  const hint = nearest === null ? `; it has ${quoteAll(known)}` : didYouMean(nearest);
  return `the operator ${quote(operator)}, which EventBridge does not have here${hint}`;
};

/** @param prefix - JSON pointer to what the problems' paths are relative to */
export const prefixed = (problems: readonly Problem[], prefix: string): readonly Problem[] =>
  problems.map(({ path, message }) => ({ path: `${prefix}${path}`, message }));
