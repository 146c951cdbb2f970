import jsonata from 'jsonata';
import { createRandom } from '../../shared/random.ts';
import { UnsupportedPattern } from '../../shared/regex/parse-pattern.ts';
import { Budget } from './jsonata/budget.ts';
import { evaluateTree } from './jsonata/evaluate.ts';
import { EvaluationError } from './jsonata/evaluation-error.ts';
import { listFunctions } from './jsonata/functions/lists.ts';
import { matchingFunctions } from './jsonata/functions/matching.ts';
import { numberFunctions } from './jsonata/functions/numbers.ts';
import { objectFunctions } from './jsonata/functions/objects.ts';
import {
  createPictureFunctions,
  type LibraryFunction,
  type PictureLibrary,
} from './jsonata/functions/pictures.ts';
import { stepFunctions } from './jsonata/functions/step-functions.ts';
import { textFunctions } from './jsonata/functions/texts.ts';
import { hashText } from './jsonata/hash-text.ts';
import type { Native } from './jsonata/native.ts';
import { programOf } from './jsonata/regex-function.ts';
import type { Node } from './jsonata/syntax-tree.ts';
import { toData } from './jsonata/to-data.ts';
import { describeExecution, type Result, type Scope } from './scope.ts';
import { shareByText } from './share-by-text.ts';

export interface ParsedExpression {
  readonly tree: Node;
  /** Variables in it, functions included, without the `$`. */
  readonly variables: ReadonlySet<string>;
}

/** A syntax error, or the use of an unsupported feature. */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem';
}

/** Parses an expression; equal ones share one tree. @throws SyntaxProblem with what is wrong and where */
export const parse = shareByText((text: string): ParsedExpression => {
  let tree: Node;
  try {
    tree = jsonata(text).ast() as unknown as Node;
  } catch (error) {
    throw new SyntaxProblem(describeParseError(error));
  }
  const variables = inspect(tree);
  if (variables.has('eval')) {
    throw new SyntaxProblem('$eval is not available: expressions come from the workflow only');
  }
  return { tree, variables };
});

/** The parser throws plain objects, and errors of the runtime for invalid patterns and stack overflows. */
const describeParseError = (error: unknown): string => {
  const { message, position } = error as { message?: string; position?: number };
  return position === undefined ? String(message) : `${message} (character ${position})`;
};

/** The variables of a tree. Checks its regular expressions too, so that unsupported ones are refused before a run. */
const inspect = (tree: Node): Set<string> => {
  const variables = new Set<string>();
  const work: unknown[] = [tree];
  for (let next = work.pop(); work.length > 0 || next !== undefined; next = work.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const { type, value, position } = next as Readonly<Record<string, unknown>>;
    if (type === 'variable' && typeof value === 'string') variables.add(value);
    if (type === 'regex') checkPattern(value, position);
    work.push(...Object.values(next));
  }
  return variables;
};

const checkPattern = (pattern: unknown, position: unknown): void => {
  // The parser copies these operands as JSON.
  if (!(pattern instanceof RegExp)) {
    throw new SyntaxProblem('a regular expression can not stand on the left of ?: or ??');
  }
  try {
    programOf(pattern);
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    throw new SyntaxProblem(`the pattern ${pattern}: ${error.message} (character ${position})`);
  }
};

const libraryFunctions = ['formatNumber', 'formatInteger', 'parseInteger', 'toMillis', 'fromMillis'] as const;

/** Functions of the jsonata library: the value of the expression `$name` is the definition of the function. */
const loadLibrary = async (): Promise<PictureLibrary> => {
  const entries = libraryFunctions.map(async (name) => {
    const { implementation } = (await jsonata(`$${name}`).evaluate(null)) as {
      implementation: LibraryFunction;
    };
    return [name, implementation] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<keyof PictureLibrary, LibraryFunction>;
};

/** The built-in functions by name, without the `$`. */
export type Natives = ReadonlyMap<string, Native>;

export const loadNatives = async (): Promise<Natives> =>
  new Map(
    Object.entries({
      ...numberFunctions,
      ...textFunctions,
      ...matchingFunctions,
      ...listFunctions,
      ...objectFunctions,
      ...stepFunctions,
      ...createPictureFunctions(await loadLibrary()),
    }),
  );

const variablesOf: Readonly<Record<string, (scope: Scope) => unknown>> = {
  nodes: ({ nodes }) => nodes,
  trigger: ({ trigger }) => trigger,
  execution: ({ execution }) => describeExecution(execution),
};

/**
 * A UUID of version 4 (RFC 9562 §5.4) whose bits are those of a hash: the numbers of `createRandom` have a state of 32 bits,
 * and so would repeat.
 */
const toUuid = (seed: string): string => {
  const bytes = hashText('sha256', seed).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/**
 * Evaluates an expression in a scope, deterministically: a replay gives the same value on any machine.
 * @param place - unique per expression of a node
 * @throws EvaluationError
 */
export const evaluate = (
  natives: Natives,
  { tree }: ParsedExpression,
  scope: Scope,
  place: string,
): Result => {
  const budget = new Budget(scope.maxSteps);
  let random: (() => number) | undefined;
  let uuids = 0;
  const found = evaluateTree(tree, scope.input, budget, {
    startedAt: () => Date.parse(scope.execution.startedAt),
    random: () => {
      random ??= createRandom(`${scope.seed}/${place}`);
      return random();
    },
    uuid: () => {
      if (scope.seed === '') throw new EvaluationError('D3165');
      return toUuid(`${scope.seed}/${place}/${uuids++}`);
    },
    variable: (name) => (Object.hasOwn(variablesOf, name) ? variablesOf[name]?.(scope) : undefined),
    natives,
  });
  return toData(budget, found);
};

/** Message of a failed evaluation. */
export const describeError = (error: unknown): string =>
  error instanceof EvaluationError
    ? error.describe()
    : String((error as { message?: unknown } | null)?.message ?? error);
