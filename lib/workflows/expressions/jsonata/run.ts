import type { Budget } from './budget.ts';
import type { Node } from './syntax-tree.ts';

/** One evaluation of one expression: what all parts of it share. */
export interface Run {
  readonly budget: Budget;
  /** When the execution started, milliseconds since the epoch: what `$millis()` and `$now()` go by. */
  readonly startedAt: number;
  /** From 0 to 1; the same in each repetition of the evaluation. */
  random(): number;
  evaluate(node: Node, input: unknown, frame: Frame): unknown;
  /** Calls a function with arguments. @throws {EvaluationError} T1006 for what is none */
  apply(func: unknown, args: readonly unknown[], context: unknown): unknown;
}

/** Variables in their scope; what it does not have is looked for in the enclosing one. */
export class Frame {
  readonly #enclosing: Frame | null;
  readonly #find: ((name: string) => unknown) | null;
  #bindings: Map<string, unknown> | null = null;

  /** @param find gives the variables that are there from the start, in the outermost frame */
  constructor(enclosing: Frame | null, find: ((name: string) => unknown) | null = null) {
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
      if (frame.#enclosing === null) return frame.#find?.(name);
      frame = frame.#enclosing;
    }
  }
}
