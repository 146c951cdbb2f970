import { EvaluationError } from './evaluation-error.ts';

/** Limits of one evaluation: they are counted, not timed, so that a replay on a slower machine has the same result. */
const limits = {
  /** Maximum number of steps: one per evaluated node of the expression; work inside a node counts in proportion. */
  steps: 3_000_000,
  /** Nested nodes and function calls, each of which uses stack space. */
  depth: 600,
  /** Maximum number of items in one list. */
  listLength: 1_000_000,
  /** Nesting depth of lists and objects in a value. */
  nesting: 500,
};

/** Amounts that cost as much time or memory as one step. */
const perStep = { itemsRead: 16, membersRead: 2, itemsMade: 8, charactersRead: 128, charactersMade: 16 };

/** Counts what an evaluation uses and throws when it exceeds a limit. */
export class Budget {
  /** Current depth of nested nodes and function calls. */
  depth = 0;
  #steps = 0;
  readonly #maxSteps: number;

  constructor(maxSteps = limits.steps) {
    this.#maxSteps = maxSteps;
  }

  /** Enters a node or a call; the caller decrements `depth` when it ends. @throws EvaluationError `D1011` | `D1012` */
  enter(): void {
    if (++this.depth > limits.depth) throw new EvaluationError('D1011');
    this.spend(1);
  }

  /** @throws EvaluationError `D1012` beyond the limit */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#maxSteps) throw new EvaluationError('D1012', { value: this.#maxSteps });
  }

  /** Counts items of a list that are read. */
  readItems(count: number): void {
    this.spend(count / perStep.itemsRead);
  }

  /** Counts items of a new list. */
  makeItems(count: number): void {
    this.spend(count / perStep.itemsMade);
  }

  /** Counts members of an object that are read. */
  readMembers(count: number): void {
    this.spend(1 + count / perStep.membersRead);
  }

  /** Counts members of a new object: each takes more time and memory than an item of a list. */
  makeMembers(count: number): void {
    this.spend(1 + count);
  }

  /** Counts UTF-16 units that are read. */
  read(length: number): void {
    this.spend(length / perStep.charactersRead);
  }

  /** Counts UTF-16 units of a new string. */
  write(length: number): void {
    this.spend(length / perStep.charactersMade);
  }

  /** @throws EvaluationError `D2015` for a list that is too long */
  checkLength(length: number): void {
    if (length > limits.listLength) throw new EvaluationError('D2015', { value: limits.listLength });
  }

  /** @throws EvaluationError `D1014` for a value that is nested too deeply */
  checkNesting(level: number): void {
    if (level > limits.nesting) throw new EvaluationError('D1014', { value: limits.nesting });
  }
}
