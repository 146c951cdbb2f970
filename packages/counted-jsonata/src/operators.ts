import { EvaluationError } from './evaluation-error.ts';
import type { Frame, Run } from './run.ts';
import { parseSignature } from './signature.ts';
import { isCloned, stringify } from './stringify.ts';
import type { NodeOf } from './syntax-tree.ts';
import { Func, isEqual, isNumeric, isObject, type Members, Sequence, toBoolean } from './values.ts';

export const evaluateBinary = (run: Run, node: NodeOf<'binary'>, input: unknown, frame: Frame): unknown => {
  const left = run.evaluate(node.lhs, input, frame);
  const operator = node.value;
  try {
    if (operator === 'and') {
      return isTrue(run, left) && isTrue(run, run.evaluate(node.rhs, input, frame));
    }
    if (operator === 'or') {
      return isTrue(run, left) || isTrue(run, run.evaluate(node.rhs, input, frame));
    }
    return compute(run, operator, left, run.evaluate(node.rhs, input, frame));
  } catch (error) {
    throw error instanceof EvaluationError ? error.at(node.position, operator) : error;
  }
};

const isTrue = (run: Run, value: unknown): boolean => toBoolean(run.budget, value) ?? false;

const arithmetic: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
};

type Comparable = string | number;

const comparisons: Readonly<Record<string, (left: Comparable, right: Comparable) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

const compute = (run: Run, operator: string, left: unknown, right: unknown): unknown => {
  const calculation = arithmetic[operator];
  if (calculation !== undefined) return calculate(calculation, left, right);
  const comparison = comparisons[operator];
  if (comparison !== undefined) return compare(run, comparison, left, right);
  switch (operator) {
    case '=':
      return left !== undefined && right !== undefined && isEqual(run.budget, left, right);
    case '!=':
      return left !== undefined && right !== undefined && !isEqual(run.budget, left, right);
    case '&':
      return concatenate(run, left, right);
    case '..':
      return makeRange(run, left, right);
    case 'in':
      return isIn(run, left, right);
    default:
      return undefined;
  }
};

const calculate = (
  calculation: (left: number, right: number) => number,
  left: unknown,
  right: unknown,
): number | undefined => {
  if (left !== undefined && !isNumeric(left)) throw new EvaluationError('T2001');
  if (right !== undefined && !isNumeric(right)) throw new EvaluationError('T2002');
  return left === undefined || right === undefined ? undefined : calculation(left, right);
};

const isComparable = (value: unknown): value is Comparable | undefined =>
  value === undefined || typeof value === 'string' || typeof value === 'number';

const compare = (
  run: Run,
  comparison: (left: Comparable, right: Comparable) => boolean,
  left: unknown,
  right: unknown,
): boolean | undefined => {
  if (!isComparable(left)) throw new EvaluationError('T2010');
  if (!isComparable(right)) throw new EvaluationError('T2010');
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== typeof right) throw new EvaluationError('T2009', { value: left, value2: right });
  if (typeof left === 'string') run.budget.read(left.length);
  return comparison(left, right);
};

/** Joins texts. Costs as much as the shorter string. V8 joins strings without copying, so appending in a loop is linear. */
const concatenate = (
  { budget, environment: { needsParts } }: Run,
  left: unknown,
  right: unknown,
): string | undefined => {
  if (needsParts === true && ((left ?? null) === null || (right ?? null) === null)) return undefined;
  const head = left === undefined ? '' : stringify(budget, left);
  const tail = right === undefined ? '' : stringify(budget, right);
  budget.write(Math.min(head.length, tail.length));
  return head + tail;
};

const makeRange = ({ budget }: Run, left: unknown, right: unknown): Sequence | undefined => {
  if (left !== undefined && !Number.isInteger(left)) throw new EvaluationError('T2003');
  if (right !== undefined && !Number.isInteger(right)) throw new EvaluationError('T2004');
  if (typeof left !== 'number' || typeof right !== 'number' || left > right) return undefined;
  const size = right - left + 1;
  budget.checkLength(size);
  budget.makeItems(size);
  const range = new Sequence();
  for (let index = 0; index < size; index++) range.push(left + index);
  return range;
};

const isIn = ({ budget }: Run, item: unknown, list: unknown): boolean => {
  if (item === undefined || list === undefined) return false;
  const items = Array.isArray(list) ? list : [list];
  for (let index = 0; index < items.length; index++) {
    const candidate = items[index];
    if (typeof candidate === 'string' && typeof item === 'string' && candidate.length === item.length) {
      budget.read(item.length);
    }
    if (candidate === item) {
      budget.readItems(index);
      return true;
    }
  }
  budget.readItems(items.length);
  return false;
};

const transformSignature = parseSignature('<(oa):o>');

/** `|pattern|update, delete|`: a function that returns a changed copy of its argument. */
export const evaluateTransform = (run: Run, node: NodeOf<'transform'>, frame: Frame): Func =>
  new Func(1, (args, context) => {
    const [value] = transformSignature.validate(args, context);
    if (value === undefined) return undefined;
    const clone = frame.lookup('clone');
    if (!(clone instanceof Func)) throw new EvaluationError('T2013').at(node.position);
    const copy = run.apply(clone, [value], null);
    const found = run.evaluate(node.pattern, copy, frame);
    if (found === undefined) return copy;
    for (const match of Array.isArray(found) ? found : [found]) change(run, node, match, frame);
    return copy;
  });

const change = (run: Run, node: NodeOf<'transform'>, match: unknown, frame: Frame): void => {
  const update = run.evaluate(node.update, match, frame);
  if (update !== undefined) {
    if (!isObject(update)) {
      throw new EvaluationError('T2011', { value: update }).at(node.update.position);
    }
    const keys = Object.keys(update);
    run.budget.makeMembers(keys.length);
    // JSON would not include named members of a list.
    if (!Array.isArray(match)) for (const key of keys) changeable(node, match)[key] = update[key];
  }
  if (node.delete === undefined) return;
  const deletions = run.evaluate(node.delete, match, frame);
  if (deletions === undefined) return;
  const keys: unknown[] = Array.isArray(deletions) ? deletions : [deletions];
  run.budget.readItems(keys.length);
  if (!keys.every((key) => typeof key === 'string')) {
    throw new EvaluationError('T2012', { value: deletions }).at(node.delete.position);
  }
  if (isObject(match)) for (const key of keys) delete changeable(node, match)[key];
};

/** The match, which must be inside the copy. @throws EvaluationError `T2014` for other data */
const changeable = (node: NodeOf<'transform'>, match: unknown): Members => {
  if (!isObject(match) || !isCloned(match)) {
    throw new EvaluationError('T2014').at(node.position);
  }
  return match;
};
