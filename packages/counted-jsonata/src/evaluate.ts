import type { Budget } from './budget.ts';
import { apply, evaluateCall, evaluateLambda, evaluatePartial } from './calls.ts';
import { evaluateDescendants, evaluateWildcard } from './descendants.ts';
import { EvaluationError } from './evaluation-error.ts';
import { evaluateGroup } from './groups.ts';
import { type Native, toFunc } from './native.ts';
import { evaluateBinary } from './operators.ts';
import { evaluateFilter, evaluatePath, findMember } from './paths.ts';
import { evaluateRegex } from './regex-function.ts';
import { Frame, type Run } from './run.ts';
import type { ApplyNode, Node, UnaryNode } from './syntax-tree.ts';
import { evaluateTransform } from './transform.ts';
import { Appender, ConstructedArray, Func, isNumeric, Sequence, toBoolean } from './values.ts';

/** The environment of an evaluation. */
interface Environment {
  /** See {@link Run}. */
  startedAt(): number;
  /** See {@link Run}. */
  random(): number;
  /** See {@link Run}. */
  uuid(): string;
  /** Predefined variables by name, without the `$`. */
  variable(name: string): unknown;
  readonly natives: ReadonlyMap<string, Native>;
}

/**
 * Evaluates a syntax tree of JSONata's parser synchronously. The library's own evaluator can only be bounded by time,
 * and mistakes keys such as `_jsonata_lambda` in the data for its own.
 * @throws EvaluationError
 */
export const evaluateTree = (
  tree: Node,
  input: unknown,
  budget: Budget,
  environment: Environment,
): unknown => {
  const evaluation = new Evaluation(budget, environment);
  const frame = new Frame(null, (name) =>
    name === '$' ? input : (environment.variable(name) ?? evaluation.findNative(name)),
  );
  return evaluate(evaluation, tree, input, frame);
};

class Evaluation implements Run {
  readonly budget: Budget;
  readonly #environment: Environment;
  /** The built-in functions in use, so that a function is the same value wherever it is named. */
  #functions: Map<string, Func> | null = null;

  constructor(budget: Budget, environment: Environment) {
    this.budget = budget;
    this.#environment = environment;
  }

  get startedAt(): number {
    return this.#environment.startedAt();
  }

  random(): number {
    return this.#environment.random();
  }

  uuid(): string {
    return this.#environment.uuid();
  }

  evaluate(node: Node, context: unknown, frame: Frame): unknown {
    return evaluate(this, node, context, frame);
  }

  /** Called by built-in functions, which use the runtime's stack as well. */
  apply(func: unknown, args: readonly unknown[], context: unknown): unknown {
    this.budget.enter();
    const result = apply(this, func, args, context);
    this.budget.depth--;
    return result;
  }

  findNative(name: string): Func | undefined {
    const native = this.#environment.natives.get(name);
    if (native === undefined) return undefined;
    this.#functions ??= new Map();
    const func = this.#functions.get(name) ?? toFunc(this, native);
    this.#functions.set(name, func);
    return func;
  }
}

const evaluate = (run: Run, node: Node, input: unknown, frame: Frame): unknown => {
  run.budget.enter();
  let result = evaluateNode(run, node, input, frame);
  if (node.predicate !== undefined) {
    for (const stage of node.predicate) {
      if (stage.type === 'filter') result = evaluateFilter(run, stage.expr, result, frame);
    }
  }
  if (node.group !== undefined && node.type !== 'path') {
    result = evaluateGroup(run, node.group, result, frame);
  }
  run.budget.depth--;
  return result instanceof Sequence && !result.tupleStream ? unwrap(result, node) : result;
};

/** A sequence of one becomes its item, an empty one undefined. */
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
      return node.value === '' ? input : frame.lookup(node.value);
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
      return evaluateWildcard(run, input);
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

const evaluateUnary = (run: Run, node: UnaryNode, input: unknown, frame: Frame): unknown => {
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
const evaluateApply = (run: Run, node: ApplyNode, input: unknown, frame: Frame): unknown => {
  const left = run.evaluate(node.lhs, input, frame);
  if (node.rhs.type === 'function') return evaluateCall(run, node.rhs, input, frame, [left]);
  const func = run.evaluate(node.rhs, input, frame);
  if (!(func instanceof Func)) throw new EvaluationError('T2006', { value: func }).at(node.position);
  if (!(left instanceof Func)) return run.apply(func, [left], null);
  return new Func(1, (args, context) => run.apply(func, [run.apply(left, args, context)], null));
};
