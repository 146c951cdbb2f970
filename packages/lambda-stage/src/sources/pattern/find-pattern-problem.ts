import { isIP } from 'node:net';
import { isPlainObject } from '../../net/json.ts';

/** Limits of a pattern: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html */
const MAX_LENGTH = 2_048;
const MAX_COMBINATIONS = 1_000;

/** The largest number that EventBridge compares, and its digits after the decimal point. */
const MAX_NUMBER = 5e9;
const MAX_DECIMALS = 6;

type Accepts = (operand: unknown) => boolean;

const isText: Accepts = (operand) => typeof operand === 'string';

const isNumber: Accepts = (operand) =>
  typeof operand === 'number' &&
  Math.abs(operand) <= MAX_NUMBER &&
  Number(operand.toFixed(MAX_DECIMALS)) === operand;

const isWildcard: Accepts = (operand) =>
  typeof operand === 'string' && /^(?:[^\\*]|\\[\\*]|\*(?!\*))*$/.test(operand);

/** One operand, or several in an array. */
const oneOrMore =
  (accepts: Accepts): Accepts =>
  (operand) =>
    Array.isArray(operand) ? operand.length > 0 && operand.every(accepts) : accepts(operand);

const isRange: Accepts = (operand) => {
  if (!Array.isArray(operand)) return false;
  const [first, bound, second, top] = operand;
  if (operand.length === 2) return ['=', '<', '<=', '>', '>='].includes(first) && isNumber(bound);
  const isOrdered = ['>', '>='].includes(first) && ['<', '<='].includes(second) && bound < top;
  return operand.length === 4 && isOrdered && isNumber(bound) && isNumber(top);
};

/** A network in CIDR notation, of more than one address. */
const isNetwork: Accepts = (operand) => {
  const [, base = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(String(operand)) ?? [];
  const most = { 4: 32, 6: 128 }[isIP(base)] ?? 0;
  return bits !== '' && Number(bits) < most;
};

type Operators = Readonly<Record<string, Accepts>>;

const ignoringCase: Operators = { 'equals-ignore-case': isText };

const isFilled: Accepts = (operand) => isText(operand) && operand !== '';

const exclusions: Operators = {
  prefix: oneOrMore(isFilled),
  suffix: oneOrMore(isFilled),
  'equals-ignore-case': oneOrMore(isText),
  wildcard: oneOrMore(isWildcard),
};

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html */
const operators: Operators = {
  prefix: (operand) => isText(operand) || hasOperator(operand, ignoringCase),
  suffix: (operand) => isText(operand) || hasOperator(operand, ignoringCase),
  'equals-ignore-case': isText,
  wildcard: isWildcard,
  'anything-but': (operand) => {
    if (isPlainObject(operand)) return hasOperator(operand, exclusions);
    const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
    return values.length > 0 && (values.every(isText) || values.every(isNumber));
  },
  numeric: isRange,
  exists: (operand) => typeof operand === 'boolean',
  cidr: isNetwork,
};

const hasOperator = (condition: unknown, known: Operators): boolean => {
  if (!isPlainObject(condition)) return false;
  const [[operator, operand] = ['', null], ...more] = Object.entries(condition);
  return more.length === 0 && Object.hasOwn(known, operator) && known[operator]?.(operand) === true;
};

const isWanted: Accepts = (wanted) =>
  wanted === null ||
  ['string', 'number', 'boolean'].includes(typeof wanted) ||
  hasOperator(wanted, operators);

/**
 * Why EventBridge would refuse a pattern; null if it accepts it. When it refuses a wildcard as too
 * complex is not documented, and not checked here.
 */
export const findPatternProblem = (pattern: unknown): string | null => {
  if (!isPlainObject(pattern)) return 'Filter is not an object';
  const { length } = JSON.stringify(pattern);
  if (length > MAX_LENGTH) return `has ${length} characters as JSON, more than ${MAX_LENGTH}`;
  const wrong = findWrong(pattern, '');
  if (wrong !== null) return wrong;
  const combinations = countCombinations(pattern);
  if (combinations > MAX_COMBINATIONS)
    return `expands to ${combinations} combinations through "$or", more than ${MAX_COMBINATIONS}`;
  const paths = new Set<string>();
  return listFields(pattern, '', paths) ? null : 'has a field twice';
};

/**
 * Adds the paths of a pattern's fields, joined by dots. The choices of an `$or` may have the same ones.
 * @returns false if one is there already, or is part of another
 */
const listFields = (fields: Readonly<Record<string, unknown>>, prefix: string, paths: Set<string>): boolean =>
  Object.entries(fields).every(([key, value]) => {
    if (key === '$or') {
      const before = new Set(paths);
      return (value as object[]).every((choice) => {
        const own = new Set(before);
        const isFine = listFields({ ...choice }, prefix, own);
        for (const path of own) paths.add(path);
        return isFine;
      });
    }
    const path = `${prefix}${key}`;
    if (isPlainObject(value)) return listFields(value, `${path}.`, paths);
    const isTaken = [...paths].some(
      (other) => other === path || other.startsWith(`${path}.`) || path.startsWith(`${other}.`),
    );
    paths.add(path);
    return !isTaken;
  });

/** The first part of a pattern that is wrong, by its path. Names of operators are reserved within `$or`. */
const findWrong = (
  fields: Readonly<Record<string, unknown>>,
  path: string,
  isWithinOr = false,
): string | null => {
  if (Object.keys(fields).length === 0) return `${path || 'the pattern'}: empty objects are not allowed`;
  for (const [key, value] of Object.entries(fields)) {
    const here = `${path}/${key}`;
    const found = key === '$or' ? findWrongChoice(value, here) : findWrongField(value, here, isWithinOr);
    if (found !== null) return found;
    if (isWithinOr && Object.hasOwn(operators, key)) return `${here}: is a reserved name`;
  }
  return null;
};

const findWrongChoice = (choices: unknown, path: string): string | null => {
  if (!Array.isArray(choices) || choices.length < 2 || !choices.every(isPlainObject))
    return `${path}: must be an array of at least two objects`;
  const wrong = choices.map((choice, at) => findWrong(choice, `${path}/${at}`, true));
  return wrong.find((one) => one !== null) ?? null;
};

const findWrongField = (value: unknown, path: string, isWithinOr: boolean): string | null => {
  if (isPlainObject(value)) return findWrong(value, path, isWithinOr);
  if (!Array.isArray(value) || value.length === 0) return `${path}: must be an object or an array of values`;
  const at = value.findIndex((wanted) => !isWanted(wanted));
  return at < 0 ? null : `${path}/${at}: is neither a value nor a known operator with its operand`;
};

const countCombinations = (fields: Readonly<Record<string, unknown>>): number =>
  Object.entries(fields).reduce((count, [key, value]) => {
    if (key === '$or')
      return count * (value as object[]).reduce((sum, one) => sum + countCombinations({ ...one }), 0);
    return isPlainObject(value) ? count * countCombinations(value) : count;
  }, 1);
