import { quote } from '../../../../lib/shared/describe.ts';
import { compileExpression } from '../../../../lib/workflows/expressions/compile-expression.ts';
import { ExpressionError } from '../../../../lib/workflows/expressions/expression-error.ts';
import type { Scope } from '../../../../lib/workflows/expressions/scope.ts';
import type { Finding } from '../proposals/correction.ts';
import { parse } from '../types/parse.ts';
import type { Names } from './names.ts';
import { type Ast, findBound, isAst, listOf } from './syntax-tree.ts';

/** Functions that fail on purpose, or whose value is known only in a run. */
const NOT_CONSTANT = ['error', 'assert', 'uuid', 'random', 'shuffle', 'eval'];

const ARITHMETIC = ['+', '-', '*', '/', '%'];

/** Enough for what a person writes by hand; what takes longer is not judged. */
const MAX_STEPS = 20_000;
const MAX_FINDINGS = 5;

/** Data is not read, and the time matters to nothing that is checked. */
const NO_DATA: Scope = {
  input: {},
  nodes: {},
  trigger: {},
  execution: {
    ...{ executionId: 'check', workflowId: 'check', workflowVersion: 1, stage: 'check' },
    ...{ trigger: { nodeId: 'check', type: 'check' }, startedAt: '2026-01-01T00:00:00.000Z' },
  },
  seed: 'check',
  maxSteps: MAX_STEPS,
};

/**
 * Finds parts of an expression that read no data and fail in every run: `$uppercase(5)`, `$now() + 1`, a time zone that
 * does not exist.
 *
 * @param text - an expression of valid syntax
 */
export const findConstantProblems = async (text: string, { isFunction }: Names): Promise<Finding[]> => {
  const root: unknown = parse(text).tree;
  const { bound } = findBound(root);
  const isNative = (name: string) => isFunction(name) && !bound.has(name) && !NOT_CONSTANT.includes(name);
  const findings = new Map<string, Finding>();
  const work: unknown[] = [root];
  while (work.length > 0 && findings.size < MAX_FINDINGS) {
    const ast = work.pop();
    if (Array.isArray(ast)) work.push(...ast.toReversed());
    if (!isAst(ast)) continue;
    const constant = toConstant(ast, isNative);
    const failure = constant === null ? null : await findFailure(constant);
    if (failure !== null)
      findings.set(failure, { message: `${quote(constant ?? '')} fails in every run: ${failure}` });
    else work.push(...Object.values(ast).toReversed());
  }
  return [...findings.values()];
};

/** The text of a part that fails or not whatever the data is; null for others, and for plain values. */
const toConstant = (ast: Ast, isNative: (name: string) => boolean): string | null => {
  const { type, value, lhs, rhs, procedure } = ast;
  if (type === 'function' && isAst(procedure) && procedure.value === 'fromMillis') {
    // Picture and time zone are what is written; the time is often data.
    const [millis, ...others] = listOf(ast.arguments).map((part) => print(part, isNative));
    if (millis === null && others.length > 0 && !others.includes(null))
      return `$fromMillis(0, ${others.join(', ')})`;
  }
  if (type === 'function' && isAst(procedure) && procedure.value === 'formatNumber') {
    const [number, ...others] = listOf(ast.arguments).map((part) => print(part, isNative));
    if (number === null && others.length > 0 && !others.includes(null))
      return `$formatNumber(1234.5, ${others.join(', ')})`;
  }
  if (type === 'binary' && ARITHMETIC.includes(String(value))) {
    const [left, right] = [print(lhs, isNative), print(rhs, isNative)];
    if ((left === null) !== (right === null)) return `${left ?? 1} ${value} ${right ?? 1}`;
  }
  return type === 'function' || type === 'binary' ? print(ast, isNative) : null;
};

/** The text of literals, and of functions and operators over them; null for anything else. */
const print = (ast: unknown, isNative: (name: string) => boolean): string | null => {
  if (!isAst(ast) || ast.predicate !== undefined || ast.stages !== undefined || ast.group !== undefined)
    return null;
  const { type, value, procedure, lhs, rhs, expression } = ast;
  if (type === 'string' || type === 'number' || type === 'value') return JSON.stringify(value);
  if (type === 'unary' && value === '-') {
    const inner = print(expression, isNative);
    return inner === null ? null : `-${inner}`;
  }
  if (type === 'binary' && value !== '..') {
    const sides = [lhs, rhs].map((side) => print(side, isNative));
    return sides.includes(null) ? null : `(${sides.join(` ${value} `)})`;
  }
  if (type !== 'function' || !isAst(procedure) || procedure.type !== 'variable') return null;
  const name = String(procedure.value);
  const given = listOf(ast.arguments).map((part) => print(part, isNative));
  return isNative(name) && !given.includes(null) ? `$${name}(${given.join(', ')})` : null;
};

/** Why an expression without data fails; null if it does not. A function takes a missing argument from the data. */
const findFailure = async (text: string): Promise<string | null> => {
  try {
    await compileExpression(text)(NO_DATA);
    return null;
  } catch (error) {
    if (!(error instanceof ExpressionError)) return null;
    const message = error.message.slice(error.message.indexOf(' failed: ') + ' failed: '.length);
    const isData = /more than \d+ steps|^Context value|not JSON/.test(message);
    return isData ? null : message.replace(/ \(character \d+\)$/, '');
  }
};
