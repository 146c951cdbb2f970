import type { Budget } from './budget.ts';
import { EvaluationError } from './evaluation-error.ts';
import { Func, isNumeric, type Members, setMember } from './values.ts';

/** Significant digits of a number in text. JSONata rounds to hide binary floating-point errors. */
const PRECISION = 15;

export const roundNumber = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(PRECISION));

/** `$string()`: strings unchanged, functions as empty strings, everything else as JSON. */
export const stringify = (budget: Budget, value: unknown, prettify = false): string => {
  if (typeof value === 'string') return value;
  if (value instanceof Func) return '';
  if (typeof value === 'number' && !Number.isFinite(value)) throw new EvaluationError('D3001');
  const replacer = isPlain(budget, value, 0) ? undefined : replace;
  return JSON.stringify(value, replacer, prettify ? 2 : 0);
};

const replace = (_key: string, value: unknown): unknown => {
  if (value instanceof Func) return '';
  return typeof value === 'number' ? roundNumber(value) : value;
};

/**
 * Spends the cost of writing a value. @returns whether plain JSON can represent it: it has no functions and no numbers
 * to round
 */
const isPlain = (budget: Budget, value: unknown, level: number): boolean => {
  if (typeof value === 'string') {
    budget.write(value.length);
    return true;
  }
  if (isNumeric(value)) return Number.isInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  if (value instanceof Func) return false;
  budget.checkNesting(level);
  let areAllPlain = true;
  if (Array.isArray(value)) {
    budget.makeItems(value.length);
    for (const item of value) if (!isPlain(budget, item, level + 1)) areAllPlain = false;
    return areAllPlain;
  }
  const keys = Object.keys(value);
  budget.readMembers(keys.length);
  for (const key of keys) {
    budget.write(key.length);
    if (!isPlain(budget, (value as Members)[key], level + 1)) areAllPlain = false;
  }
  return areAllPlain;
};

/**
 * The prototype of cloned objects, which marks them as changeable. It has no prototype itself, so that `__proto__` is
 * data.
 */
const clonePrototype: object = Object.freeze(Object.create(null));

export const isCloned = (value: object): boolean => Object.getPrototypeOf(value) === clonePrototype;

/** `$clone()`: a copy of the value's JSON that may be changed. */
export const clone = (budget: Budget, value: unknown, level = 0): unknown => {
  if (isNumeric(value)) return roundNumber(value) + 0; // no negative zero
  if (value instanceof Func) return '';
  if (typeof value !== 'object' || value === null) return value ?? null;
  budget.checkNesting(level);
  if (Array.isArray(value)) {
    budget.makeItems(value.length);
    return Array.from(value, (item) => clone(budget, item, level + 1));
  }
  const copy: Members = Object.create(clonePrototype);
  const keys = Object.keys(value);
  budget.makeMembers(keys.length);
  for (const key of keys) {
    const member = (value as Members)[key];
    if (member !== undefined) copy[key] = clone(budget, member, level + 1);
  }
  return copy;
};

/** A JSON value (RFC 8259). */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Converts the result of an evaluation to JSON; undefined if there is none. Frozen values come from the input and are
 * shared; others are copied.
 */
export const toData = (budget: Budget, value: unknown, level = 0): JsonValue | undefined => {
  if (value instanceof Func) throw new EvaluationError('D3201');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new EvaluationError('D3202', { value });
  if (typeof value === 'string') budget.read(value.length);
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value as JsonValue;
  budget.checkNesting(level);
  if (Array.isArray(value)) {
    budget.makeItems(value.length);
    const items: JsonValue[] = [];
    for (const item of value) {
      const data = toData(budget, item, level + 1);
      if (data !== undefined) items.push(data);
    }
    return items;
  }
  const keys = Object.keys(value);
  budget.makeMembers(keys.length);
  const members: Members = {};
  for (const key of keys) {
    const data = toData(budget, (value as Members)[key], level + 1);
    if (data !== undefined) setMember(members, key, data);
  }
  return members as JsonObject;
};
