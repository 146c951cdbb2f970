import type { Budget } from './budget.ts';
import { EvaluationError } from './evaluation-error.ts';

/**
 * The result of a path. With a single item it becomes that item; without items, undefined. It is a class so that no key
 * in the data can mark a list as a sequence.
 */
export class Sequence extends Array<unknown> {
  /** Set by `[]`, so that a single item stays a list. */
  keepSingleton = false;
  /** Whether the items are tuples: values with bound variables. */
  tupleStream = false;

  /** Makes `map`, `slice` and so on return ordinary lists. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  static of1(item: unknown): Sequence {
    const sequence = new Sequence();
    sequence.push(item);
    return sequence;
  }

  static ofAll(items: readonly unknown[]): Sequence {
    const sequence = new Sequence();
    for (const item of items) sequence.push(item);
    return sequence;
  }
}

/** Wraps an input that is a list, so that the first step of a path takes it as one value. */
export class Outer extends Sequence {}

/** The value of `$`. */
export const unwrapOuter = (context: unknown): unknown => (context instanceof Outer ? context[0] : context);

/** The value of `[…]` as a step of a path, which is not flattened. */
export class ConstructedArray extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** A function as a value, either defined in the expression or built in. */
export class Func {
  /** Number of parameters; a callback gets no more arguments than that. */
  readonly arity: number;
  readonly call: (args: readonly unknown[], context: unknown) => unknown;

  constructor(arity: number, call: Func['call']) {
    this.arity = arity;
    this.call = call;
  }
}

export type Members = Record<string, unknown>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Func);

/** Sets an own property of a new object, even for the key `__proto__`. */
export const setMember = (object: Members, key: string, value: unknown): void => {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
};

/** Whether a value is a number. @throws EvaluationError `D1001` for an infinite one */
export const isNumeric = (value: unknown): value is number => {
  if (typeof value !== 'number') return false;
  // Faster than Number.isFinite, for every item of every list.
  if (value - value === 0) return true;
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    throw new EvaluationError('D1001', { value });
  }
  return false;
};

/** Casts a value to a boolean as JSONata does: a list is true if any item is; undefined stays undefined. */
export const toBoolean = (budget: Budget, value: unknown, level = 0): boolean | undefined => {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value.length > 0;
  if (isNumeric(value)) return value !== 0;
  if (Array.isArray(value)) {
    budget.checkNesting(level);
    if (value.length === 1) return toBoolean(budget, value[0], level + 1);
    for (let index = 0; index < value.length; index++) {
      if (toBoolean(budget, value[index], level + 1) === true) {
        budget.readItems(index);
        return true;
      }
    }
    budget.readItems(value.length);
    return false;
  }
  if (isObject(value)) return hasMembers(value);
  return value === true;
};

export const hasMembers = (value: object): boolean => {
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
};

/** Deep equality of data. A function equals only itself. */
export const isEqual = (budget: Budget, left: unknown, right: unknown, level = 0): boolean => {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false;
    budget.read(left.length);
    return left === right;
  }
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    budget.checkNesting(level);
    for (let index = 0; index < left.length; index++) {
      budget.readItems(1);
      if (!isEqual(budget, left[index], right[index], level + 1)) return false;
    }
    return true;
  }
  if (!isObject(left) || !isObject(right)) return false;
  budget.checkNesting(level);
  const keys = Object.keys(left);
  budget.readMembers(2 * keys.length);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isEqual(budget, left[key], right[key], level + 1));
};

/** Joins two values into one list; undefined adds nothing. */
export const append = (budget: Budget, left: unknown, right: unknown): unknown => {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const length = lengthOf(left) + lengthOf(right);
  budget.checkLength(length);
  budget.makeItems(length / 2); // copying a whole list is cheaper
  return (Array.isArray(left) ? [...left] : [left]).concat(right);
};

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 1);

/** Appends repeatedly to one growing list, in linear time. */
export class Appender {
  value: unknown;
  readonly #budget: Budget;
  #list: unknown[] | null = null;

  constructor(budget: Budget, first?: unknown) {
    this.#budget = budget;
    this.value = first;
  }

  add(item: unknown): void {
    if (item === undefined) return;
    if (this.value === undefined) {
      this.value = item;
      return;
    }
    if (this.#list === null) {
      this.#list = Array.isArray(this.value) ? Array.from(this.value) : [this.value];
      this.#budget.makeItems(this.#list.length);
      this.value = this.#list;
    }
    if (Array.isArray(item)) for (const one of item) this.#list.push(one);
    else this.#list.push(item);
    this.#budget.makeItems(lengthOf(item));
    this.#budget.checkLength(this.#list.length);
  }
}
