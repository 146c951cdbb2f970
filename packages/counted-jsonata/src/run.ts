import type { Budget } from './budget.ts';
import type { Node } from './syntax-tree.ts';

/** The state of one evaluation of one expression. */
export interface Run {
  readonly budget: Budget;
  /** Start of the execution in milliseconds since the epoch: the time of `$millis()` and `$now()`. */
  readonly startedAt: number;
  /** Returns numbers from 0 to 1; a replay gets the same numbers. */
  random(): number;
  /** Returns a new version 4 UUID at each call; a replay gets the same UUIDs. @throws EvaluationError `D3165` */
  uuid(): string;
  evaluate(node: Node, input: unknown, frame: Frame): unknown;
  /** Calls a function. @throws EvaluationError `T1006` when `func` is not a function */
  apply(func: unknown, args: readonly unknown[], context: unknown): unknown;
}

/** A variable scope inside an enclosing one. */
export class Frame {
  readonly #enclosing: Frame | null;
  readonly #find: ((name: string) => unknown) | null;
  #bindings: Map<string, unknown> | null = null;

  /** @param find - looks up predefined variables; only the outermost frame has it */
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
