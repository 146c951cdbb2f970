import { Budget } from './budget.ts';
import { apply, evaluateArgument, evaluateCall, evaluateLambda, evaluatePartial } from './calls.ts';
import { EvaluationError } from './evaluation-error.ts';
import { evaluateGroup } from './groups.ts';
import { type Natives, toFunc } from './native.ts';
import { evaluateBinary, evaluateTransform } from './operators.ts';
import type { ParsedExpression } from './parse.ts';
import { evaluateDescendants, evaluateFilter, evaluatePath, evaluateWildcard, findMember } from './paths.ts';
import { evaluateRegex } from './regex-function.ts';
import { type Environment, Frame, type Run } from './run.ts';
import { type JsonValue, toData } from './stringify.ts';
import type { Node, NodeOf } from './syntax-tree.ts';
import {
  Appender,
  ConstructedArray,
  Func,
  isNumeric,
  Outer,
  Sequence,
  toBoolean,
  unwrapOuter,
} from './values.ts';

/**
 * Evaluates an expression. The result is the same for the same input and environment, on any machine.
 *
 * The library's own evaluator is asynchronous, can only be bounded by time, and mistakes keys such as `_jsonata_lambda`
 * in the data for its own.
 *
 * @param input - frozen values in it are shared with the result, others are copied
 * @returns JSON; undefined if there is no result
 * @throws EvaluationError with JSONata's error code, or `D1012` when it takes too many steps
 */
export const evaluate = (
  natives: Natives,
  { tree }: ParsedExpression,
  input: unknown,
  environment: Environment,
): JsonValue | undefined => {
  const run = new Evaluation(natives, environment);
  const frame = new Frame(null, (name) =>
    name === '$' ? input : (environment.variable(name) ?? run.findNative(name)),
  );
  return toData(run.budget, run.evaluate(tree, Array.isArray(input) ? Outer.of(input) : input, frame));
};

class Evaluation implements Run {
  readonly budget: Budget;
  readonly environment: Environment;
  readonly #natives: Natives;
  /** The built-in functions in use, so that a function is the same value wherever it is named. */
  #functions: Map<string, Func> | null = null;

  constructor(natives: Natives, environment: Environment) {
    this.budget = new Budget(environment.maxSteps);
    this.environment = environment;
    this.#natives = natives;
  }

  evaluate(node: Node, context: unknown, frame: Frame): unknown {
    this.budget.enter();
    let result = evaluateNode(this, node, context, frame);
    if (node.predicate !== undefined) {
      for (const stage of node.predicate) {
        if (stage.type === 'filter') result = evaluateFilter(this, stage.expr, result, frame);
      }
    }
    if (node.group !== undefined && node.type !== 'path') {
      result = evaluateGroup(this, node.group, result, frame);
    }
    this.budget.depth--;
    return result instanceof Sequence && !result.tupleStream ? unwrap(result, node) : result;
  }

  /** Called by built-in functions, which use the runtime's stack as well. */
  apply(func: unknown, args: readonly unknown[], context: unknown): unknown {
    this.budget.enter();
    const result = apply(this, func, args, context);
    this.budget.depth--;
    return result;
  }

  findNative(name: string): Func | undefined {
    const native = this.#natives.get(name);
    if (native === undefined) return undefined;
    this.#functions ??= new Map();
    const func = this.#functions.get(name) ?? toFunc(this, native);
    this.#functions.set(name, func);
    return func;
  }
}

/** Converts a sequence of one to its item, an empty one to undefined. */
const unwrap = (sequence: Sequence, node: Node): unknown => {
  if (node.keepArray === true) sequence.keepSingleton = true;
  if (sequence.length === 0) return undefined;
  return sequence.length === 1 && !sequence.keepSingleton ? sequence[0] : sequence;
};

const evaluateNode = (run: Run, node: Node, input: unknown, frame: Frame): unknown => {
  switch (node.type) {
    case 'path':
      return evaluatePath(run, node, input, frame);
    case 'name':
      return findMember(run, input, node.value);
    case 'string':
    case 'number':
    case 'value':
      return node.value;
    case 'binary':
      return evaluateBinary(run, node, input, frame);
    case 'unary':
      return evaluateUnary(run, node, input, frame);
    case 'variable':
      return node.value === '' ? unwrapOuter(input) : frame.lookup(node.value);
    case 'function':
      return evaluateCall(run, node, input, frame);
    case 'condition':
      if (toBoolean(run.budget, run.evaluate(node.condition, input, frame)) === true) {
        return run.evaluate(node.then, input, frame);
      }
      return node.else === undefined ? undefined : run.evaluate(node.else, input, frame);
    case 'block': {
      const inner = new Frame(frame);
      let last: unknown;
      for (const expression of node.expressions) last = run.evaluate(expression, input, inner);
      return last;
    }
    case 'bind': {
      const value = run.evaluate(node.rhs, input, frame);
      frame.bind(node.lhs.value, value);
      return value;
    }
    case 'lambda':
      return evaluateLambda(run, node, input, frame);
    case 'partial':
      return evaluatePartial(run, node, input, frame);
    case 'apply':
      return evaluateApply(run, node, input, frame);
    case 'wildcard':
      return evaluateWildcard(run, unwrapOuter(input));
    case 'descendant':
      return evaluateDescendants(run, input);
    case 'parent':
      return frame.lookup(node.slot.label);
    case 'regex':
      return evaluateRegex(run, node);
    case 'transform':
      return evaluateTransform(run, node, frame);
    default:
      return undefined;
  }
};

const evaluateUnary = (run: Run, node: NodeOf<'unary'>, input: unknown, frame: Frame): unknown => {
  if (node.value === '{') return evaluateGroup(run, node, input, frame);
  if (node.value === '-') {
    const value = run.evaluate(node.expression, input, frame);
    if (value === undefined || isNumeric(value)) return value === undefined ? value : -value;
    throw new EvaluationError('D1002', { value }).at(node.position, node.value);
  }
  const items = new Appender(run.budget, []);
  for (const expression of node.expressions) {
    const value = run.evaluate(expression, input, frame);
    const isList = expression.type === 'unary' && expression.value === '[';
    items.add(isList ? [value] : value);
  }
  const list = items.value as unknown[];
  return node.consarray === true ? ConstructedArray.from(list) : list;
};

/** `value ~> $f` calls the function; `$f ~> $g` composes both. */
const evaluateApply = (run: Run, node: NodeOf<'apply'>, input: unknown, frame: Frame): unknown => {
  const left = evaluateArgument(run, node.lhs, input, frame);
  if (node.rhs.type === 'function') return evaluateCall(run, node.rhs, input, frame, [left]);
  const func = run.evaluate(node.rhs, input, frame);
  if (!(func instanceof Func)) throw new EvaluationError('T2006').at(node.position);
  if (!(left instanceof Func)) return run.apply(func, [left], null);
  return new Func(1, ([value], context) => run.apply(func, [run.apply(left, [value], context)], null));
};
