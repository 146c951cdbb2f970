import { EvaluationError } from './evaluation-error.ts';
import { Frame, type Run } from './run.ts';
import { parseSignature, type Signature } from './signature.ts';
import type { CallNode, Node, NodeOf } from './syntax-tree.ts';
import { Func, unwrapOuter } from './values.ts';

/** A deferred call in tail position: {@link apply} makes it in a loop, so that tail recursion takes no depth. */
class TailCall {
  readonly call: CallNode;
  readonly input: unknown;
  readonly frame: Frame;

  constructor(call: CallNode, input: unknown, frame: Frame) {
    this.call = call;
    this.input = input;
    this.frame = frame;
  }
}

const signatures = new WeakMap<NodeOf<'lambda'>, Signature>();

/** The signature of a function in an expression, parsed once. */
const signatureOf = (node: NodeOf<'lambda'>): Signature | null => {
  if (node.signature === undefined) return null;
  let signature = signatures.get(node);
  if (signature === undefined) {
    signature = parseSignature(node.signature.definition);
    signatures.set(node, signature);
  }
  return signature;
};

export const evaluateLambda = (
  run: Run,
  node: NodeOf<'lambda'>,
  input: unknown,
  frame: Frame,
): Func | TailCall => {
  if (node.thunk === true) return new TailCall(node.body as CallNode, input, frame);
  const signature = signatureOf(node);
  return new Func(node.arguments.length, (args, context) => {
    let given = args;
    if (signature !== null) {
      for (const arg of args) if (Array.isArray(arg)) run.budget.readItems(arg.length);
      given = signature.validate(args, context);
    }
    const inner = new Frame(frame);
    for (const [index, { value }] of node.arguments.entries()) inner.bind(value, given[index]);
    return run.evaluate(node.body, input, inner);
  });
};

/** Calls a function, then the tail calls that it returns. */
export const apply = (run: Run, func: unknown, args: readonly unknown[], context: unknown): unknown => {
  let result = callOnce(run, func, args, context);
  while (result instanceof TailCall) {
    const { call, input, frame } = result;
    const next = run.evaluate(call.procedure, input, frame);
    const given = call.arguments.map((arg) => run.evaluate(arg, input, frame));
    try {
      result = callOnce(run, next, given, context);
    } catch (error) {
      throw atCall(call, error);
    }
  }
  return result;
};

const callOnce = (run: Run, func: unknown, args: readonly unknown[], context: unknown): unknown => {
  if (!(func instanceof Func)) throw new EvaluationError('T1006');
  run.budget.enter();
  const result = func.call(args, unwrapOuter(context));
  run.budget.depth--;
  return result;
};

const nameOf = (procedure: Node): string | undefined => {
  if (procedure.type === 'path') {
    const [first] = procedure.steps;
    return first.type === 'name' ? first.value : undefined;
  }
  return procedure.type === 'variable' ? procedure.value : undefined;
};

/** Adds the position of a call to its error. */
const atCall = (node: CallNode, error: unknown): unknown =>
  error instanceof EvaluationError ? error.at(node.position, nameOf(node.procedure)) : error;

/**
 * The function of a call. @throws EvaluationError with `code`, which suggests the missing `$`, if only the function's
 * name is given
 */
const evaluateProcedure = (run: Run, node: CallNode, input: unknown, frame: Frame, code: string): unknown => {
  const func = run.evaluate(node.procedure, input, frame);
  if (func === undefined && node.procedure.type === 'path') {
    const name = nameOf(node.procedure);
    if (name !== undefined && frame.lookup(name) !== undefined) {
      throw new EvaluationError(code, { token: name }).at(node.position);
    }
  }
  return func;
};

/** `$f(a, b)`. @param first - the left side of `value ~> $f(b)`, which becomes the first argument */
export const evaluateCall = (
  run: Run,
  node: CallNode,
  input: unknown,
  frame: Frame,
  first: readonly unknown[] = [],
): unknown => {
  const func = evaluateProcedure(run, node, input, frame, 'T1005');
  const args = first.slice();
  for (const argument of node.arguments) args.push(evaluateArgument(run, argument, input, frame));
  try {
    return apply(run, func, args, input);
  } catch (error) {
    throw atCall(node, error);
  }
};

export const evaluateArgument = (run: Run, node: Node, input: unknown, frame: Frame): unknown => {
  const value = run.evaluate(node, input, frame);
  return run.environment.needsParts === true && lacksParts(node, value) ? undefined : value;
};

/** Whether a list that is written out has fewer items than parts. */
const lacksParts = (node: Node, value: unknown): boolean =>
  node.type === 'unary' &&
  node.value === '[' &&
  Array.isArray(value) &&
  (value.length < node.expressions.length || value.includes(null));

/** `$f(?, b)`: a function that takes the open arguments. */
export const evaluatePartial = (run: Run, node: CallNode, input: unknown, frame: Frame): Func => {
  const given = node.arguments.map((argument) =>
    argument.type === 'operator' ? OPEN : evaluateArgument(run, argument, input, frame),
  );
  const func = evaluateProcedure(run, node, input, frame, 'T1007');
  if (!(func instanceof Func)) {
    throw new EvaluationError('T1008', { token: nameOf(node.procedure) }).at(node.position);
  }
  const open = given.filter((arg) => arg === OPEN).length;
  return new Func(open, (args, context) => {
    let next = 0;
    return apply(
      run,
      func,
      given.map((arg) => (arg === OPEN ? args[next++] : arg)),
      context,
    );
  });
};

const OPEN = Symbol('open argument');
