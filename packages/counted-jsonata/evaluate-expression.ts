import type { Natives } from './natives.ts';
import type { ParsedExpression } from './parse.ts';
import { Budget } from './src/budget.ts';
import { evaluateTree } from './src/evaluate.ts';
import { EvaluationError } from './src/evaluation-error.ts';
import { type JsonValue, toData } from './src/to-data.ts';

/**
 * Supplies what is neither in the expression nor in its input: an evaluation reads no clock and no random numbers
 * itself.
 */
export interface Environment {
  /** The time of `$now()` and `$millis()`, in milliseconds since the epoch. */
  startedAt(): number;
  /** Numbers from 0 to 1, for `$random()` and `$shuffle()`. */
  random(): number;
  /** A new UUID for each call, for `$uuid()`. */
  uuid(): string;
  /** The value of a predefined variable; undefined if there is none. */
  variable(name: string): unknown;
  /** Steps that the evaluation may take; 3,000,000 by default. */
  readonly maxSteps?: number | undefined;
}

/**
 * Evaluates an expression. The result is the same for the same input and environment, on any machine.
 *
 * @param input - frozen values in it are shared with the result, others are copied
 * @returns JSON; undefined if there is no result
 * @throws EvaluationError with JSONata's error code, or `D1012` when it takes too many steps
 */
export const evaluate = (
  natives: Natives,
  { tree }: ParsedExpression,
  input: unknown,
  { maxSteps, ...environment }: Environment,
): JsonValue | undefined => {
  const budget = new Budget(maxSteps);
  return toData(budget, evaluateTree(tree, input, budget, { ...environment, natives }));
};

/** The message of a failed evaluation. */
export const describeError = (error: unknown): string =>
  error instanceof EvaluationError
    ? error.describe()
    : String((error as { message?: unknown } | null)?.message ?? error);
