import { UnsupportedPattern } from '@hookloom/linear-regex';
import jsonata from 'jsonata';
import { programOf } from './regex-function.ts';
import type { Node } from './syntax-tree.ts';

export interface ParsedExpression {
  readonly tree: Node;
  /** The variables in the expression, including functions, without the `$`. */
  readonly variables: ReadonlySet<string>;
}

/** A syntax error, or the use of an unsupported feature. */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem';
  /** Offset in the expression, in UTF-16 units; undefined if no single place is at fault. */
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message);
    this.position = position;
  }
}

/** Parses an expression. @throws SyntaxProblem that says what is wrong and where */
export const parse = (text: string): ParsedExpression => {
  let tree: Node;
  try {
    tree = jsonata(text).ast() as unknown as Node;
  } catch (error) {
    throw new SyntaxProblem(describeParseError(error), (error as { readonly position?: number }).position);
  }
  const variables = inspect(tree);
  if (variables.has('eval')) {
    throw new SyntaxProblem('$eval is not available: expressions come from the workflow only');
  }
  return { tree, variables };
};

/** The parser throws plain objects, and for invalid patterns and stack overflows runtime errors. */
const describeParseError = (error: unknown): string => {
  const { message, position } = error as { message?: string; position?: number };
  return position === undefined ? String(message) : `${message} (character ${position})`;
};

/**
 * Collects the variables of a tree. It also checks the regular expressions, so that unsupported ones are refused before
 * a run.
 */
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
  // The parser copies these operands as JSON, which a regular expression does not survive.
  if (!(pattern instanceof RegExp)) {
    throw new SyntaxProblem('a regular expression cannot stand on the left of ?: or ??');
  }
  try {
    programOf(pattern);
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    throw new SyntaxProblem(`the pattern ${pattern}: ${error.message} (character ${position})`);
  }
};
