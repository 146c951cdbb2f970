import type { Budget } from './budget.ts';
import type { Node } from './syntax-tree.ts';
import { Sequence } from './values.ts';

/**
 * Supplies what is neither in the expression nor in its input: an evaluation reads no clock and no random numbers
 * itself.
 */
export interface Environment {
  /** The time of `$now()` and `$millis()`, in milliseconds since the epoch. */
  startedAt(): number;
  /** Numbers from 0 to 1, for `$random()` and `$shuffle()`. */
  random(): number;
  /** A new UUID for each call, for `$uuid()`. @throws EvaluationError `D3165` if there is none yet */
  uuid(): string;
  /** The value of a predefined variable, by its name without the `$`; undefined if there is none. */
  variable(name: string): unknown;
  /** Parses JSON for `$parse()`; `JSON.parse` by default. @throws SyntaxError with the message of `JSON.parse` */
  readonly parseJson?: ((text: string) => unknown) | undefined;
  /** Whether `&`, and a list written as an argument, give nothing if one of their parts gives nothing, or null. */
  readonly needsParts?: boolean | undefined;
  /** Steps that the evaluation may take; 3,000,000 by default. */
  readonly maxSteps?: number | undefined;
}

/** The state of one evaluation of one expression. */
export interface Run {
  readonly budget: Budget;
  readonly environment: Environment;
  evaluate(node: Node, input: unknown, frame: Frame): unknown;
  /** Calls a function. @throws EvaluationError `T1006` when `func` is not a function */
  apply(func: unknown, args: readonly unknown[], context: unknown): unknown;
}

/** A variable scope inside an enclosing one. */
export class Frame {
  readonly #enclosing: Frame | null;
  readonly #find: (name: string) => unknown;
  #bindings: Map<string, unknown> | null = null;

  /** @param find - looks up predefined variables; only the outermost frame has it */
  constructor(enclosing: Frame | null, find: (name: string) => unknown = () => undefined) {
    this.#enclosing = enclosing;
    this.#find = find;
  }

  bind(name: string, value: unknown): void {
    this.#bindings ??= new Map();
    this.#bindings.set(name, value);
  }

  lookup(name: string): unknown {
    let frame: Frame = this;
    for (;;) {
      const bindings = frame.#bindings;
      if (bindings?.has(name)) return bindings.get(name);
      if (frame.#enclosing === null) return frame.#find(name);
      frame = frame.#enclosing;
    }
  }
}

/** A value of a step (`@`) with the variables and ancestors that were bound before it. */
export type Tuple = Record<string, unknown>;

export const isTupleStream = (list: unknown): list is Sequence =>
  list instanceof Sequence && list.tupleStream;

/** The scope of a step for one tuple. */
export const toFrame = (frame: Frame, tuple: Tuple): Frame => {
  const inner = new Frame(frame);
  for (const name of Object.keys(tuple)) inner.bind(name, tuple[name]);
  return inner;
};

/** @param index - the variable for the position */
export const toTuples = (values: readonly unknown[], index?: string): Sequence => {
  const tuples = new Sequence();
  tuples.tupleStream = true;
  for (const [position, value] of values.entries()) {
    const tuple: Tuple = Object.create(null);
    tuple['@'] = value;
    if (index !== undefined) tuple[index] = position;
    tuples.push(tuple);
  }
  return tuples;
};

export const valuesOf = (tuples: Sequence): Sequence => {
  const values = new Sequence();
  for (const tuple of tuples as Tuple[]) values.push(tuple['@']);
  return values;
};
