import { hasMembers, roundNumber } from '@hookloom/counted-jsonata/values';
import type { JsonValue } from '@hookloom/plugin-kit';
import type { Scope } from './scope.ts';

/** The result when only JSONata's evaluator can decide: lists that are mapped over, errors, large values. */
export const NEEDS_JSONATA = Symbol('needs JSONata');

/** Undefined is what a path finds where nothing is; null is data. */
export type Value = JsonValue | undefined;

/** A compiled expression without errors of its own. */
export type Compiled = (scope: Scope) => Value | typeof NEEDS_JSONATA;

/** Characters, or items, that operators read themselves. More count against the evaluator's budget. */
const LARGE = 1_000;

interface Operator {
  /** As in JSONata's parser; higher ones are evaluated first. All operators associate to the left. */
  readonly precedence: number;
  readonly combine: (left: Compiled, right: Compiled) => Compiled;
}

/** Evaluates both operands. */
const binary =
  (apply: (left: Value, right: Value) => Value | typeof NEEDS_JSONATA): Operator['combine'] =>
  (left, right) =>
  (scope) => {
    const first = left(scope);
    if (first === NEEDS_JSONATA) return NEEDS_JSONATA;
    const second = right(scope);
    return second === NEEDS_JSONATA ? NEEDS_JSONATA : apply(first, second);
  };

/** Evaluates the right operand unless the left one decides. */
const logical =
  (decisive: boolean): Operator['combine'] =>
  (left, right) =>
  (scope) => {
    const first = toBoolean(left(scope));
    return first === NEEDS_JSONATA || first === decisive ? first : toBoolean(right(scope));
  };

const toBoolean = (value: Value | typeof NEEDS_JSONATA): boolean | typeof NEEDS_JSONATA => {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value !== '';
    case 'number':
      return Number.isFinite(value) ? value !== 0 : NEEDS_JSONATA;
    case 'object':
      if (value === null) return false;
      return Array.isArray(value) ? NEEDS_JSONATA : hasMembers(value);
    case 'undefined':
      return false;
    default:
      return NEEDS_JSONATA;
  }
};

const isLarge = (value: Value): boolean => typeof value === 'string' && value.length > LARGE;

const isStructure = (value: Value): boolean => typeof value === 'object' && value !== null;

const equality = (whenEqual: boolean) =>
  binary((left, right) => {
    if (left === undefined || right === undefined) return false;
    if ((isStructure(left) && isStructure(right)) || (isLarge(left) && isLarge(right))) return NEEDS_JSONATA;
    return (left === right) === whenEqual;
  });

type Order = (left: string | number, right: string | number) => boolean;

const isComparable = (value: Value): value is string | number | undefined =>
  value === undefined || typeof value === 'number' || (typeof value === 'string' && value.length <= LARGE);

const comparison = (compare: Order) =>
  binary((left, right) => {
    if (!isComparable(left) || !isComparable(right)) return NEEDS_JSONATA;
    if (left === undefined || right === undefined) return undefined;
    return typeof left === typeof right ? compare(left, right) : NEEDS_JSONATA;
  });

const arithmetic = (calculate: (left: number, right: number) => number) =>
  binary((left, right) => {
    if (typeof left === 'number' && typeof right === 'number') {
      const result = calculate(left, right);
      return Number.isFinite(result) ? result : NEEDS_JSONATA;
    }
    const isMissing =
      (left === undefined && (right === undefined || typeof right === 'number')) ||
      (right === undefined && typeof left === 'number');
    return isMissing ? undefined : NEEDS_JSONATA;
  });

const toText = (value: Value): string | typeof NEEDS_JSONATA => {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(roundNumber(value)) : NEEDS_JSONATA;
  return isStructure(value) ? NEEDS_JSONATA : String(value);
};

const concatenate = binary((left, right) => {
  const head = toText(left);
  const tail = toText(right);
  if (head === NEEDS_JSONATA || tail === NEEDS_JSONATA) return NEEDS_JSONATA;
  return isLarge(head) && isLarge(tail) ? NEEDS_JSONATA : head + tail;
});

const membership = binary((item, list) => {
  if (item === undefined || list === undefined) return false;
  if (isLarge(item)) return NEEDS_JSONATA;
  if (!Array.isArray(list)) return item === list;
  return list.length > LARGE ? NEEDS_JSONATA : list.some((candidate) => candidate === item);
});

export const operators: ReadonlyMap<string, Operator> = new Map([
  ['*', { precedence: 60, combine: arithmetic((left, right) => left * right) }],
  ['/', { precedence: 60, combine: arithmetic((left, right) => left / right) }],
  ['%', { precedence: 60, combine: arithmetic((left, right) => left % right) }],
  ['+', { precedence: 50, combine: arithmetic((left, right) => left + right) }],
  ['-', { precedence: 50, combine: arithmetic((left, right) => left - right) }],
  ['&', { precedence: 50, combine: concatenate }],
  ['=', { precedence: 40, combine: equality(true) }],
  ['!=', { precedence: 40, combine: equality(false) }],
  ['<', { precedence: 40, combine: comparison((left, right) => left < right) }],
  ['<=', { precedence: 40, combine: comparison((left, right) => left <= right) }],
  ['>', { precedence: 40, combine: comparison((left, right) => left > right) }],
  ['>=', { precedence: 40, combine: comparison((left, right) => left >= right) }],
  ['in', { precedence: 40, combine: membership }],
  ['and', { precedence: 30, combine: logical(false) }],
  ['or', { precedence: 25, combine: logical(true) }],
]);
