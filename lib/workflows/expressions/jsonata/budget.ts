import { EvaluationError } from './evaluation-error.ts';

/** What one evaluation may take. All of it is counted, none of it timed: a replay on a slow machine comes out the same. */
const limits = {
  /** One for each node of the expression that is evaluated; what goes on inside of one counts in proportion. */
  steps: 3_000_000,
  /** Nodes and calls of functions inside of one another: each takes a part of the machine's stack. */
  depth: 600,
  /** Items of one list. */
  listLength: 1_000_000,
  /** Lists and objects inside of one another, in a value. */
  nesting: 500,
};

/** How much of something takes as long as one step, or as much memory. */
const perStep = { itemsRead: 16, membersRead: 2, itemsMade: 8, charactersRead: 128, charactersMade: 16 };

/** The account of one evaluation: what it has spent, and the refusal of what goes beyond its limits. */
export class Budget {
  /** Nodes that are being evaluated and functions that are being called, one inside of the other. */
  depth = 0;
  #steps = 0;

  /** Steps spent so far; fractions are rounded up. */
  get spent(): number {
    return Math.ceil(this.#steps);
  }

  /** Begins a node or a call; `depth` is to be counted down when it is done. */
  enter(): void {
    if (++this.depth > limits.depth) throw new EvaluationError('D1011');
    this.spend(1);
  }

  /** @throws {EvaluationError} D1012 when the limit is exceeded */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > limits.steps) throw new EvaluationError('D1012', { value: limits.steps });
  }

  /** Items of a list that are looked at. */
  readItems(count: number): void {
    this.spend(count / perStep.itemsRead);
  }

  /** Items of a new list. */
  makeItems(count: number): void {
    this.spend(count / perStep.itemsMade);
  }

  /** Members of an object that are looked at. */
  readMembers(count: number): void {
    this.spend(1 + count / perStep.membersRead);
  }

  /** Members of a new object: each takes more memory, and more time, than an item of a list. */
  makeMembers(count: number): void {
    this.spend(1 + count);
  }

  /** UTF-16 units of a text that are looked at. */
  read(length: number): void {
    this.spend(length / perStep.charactersRead);
  }

  /** UTF-16 units of a new text. */
  write(length: number): void {
    this.spend(length / perStep.charactersMade);
  }

  /** @throws {EvaluationError} D2015 for a list that is too long */
  checkLength(length: number): void {
    if (length > limits.listLength) throw new EvaluationError('D2015', { value: limits.listLength });
  }

  /** @throws {EvaluationError} D1014 for a value whose nesting is too deep to be followed */
  checkNesting(level: number): void {
    if (level > limits.nesting) throw new EvaluationError('D1014', { value: limits.nesting });
  }
}
