import { EvaluationError } from './evaluation-error.ts';
import type { Frame, Run } from './run.ts';
import { stringify } from './stringify.ts';
import type { BinaryNode } from './syntax-tree.ts';
import { isEqual, isNumeric, Sequence, toBoolean } from './values.ts';

export const evaluateBinary = (run: Run, node: BinaryNode, input: unknown, frame: Frame): unknown => {
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

const compute = (run: Run, operator: string, left: unknown, right: unknown): unknown => {
  switch (operator) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return calculate(operator, left, right);
    case '=':
      return left !== undefined && right !== undefined && isEqual(run.budget, left, right);
    case '!=':
      return left !== undefined && right !== undefined && !isEqual(run.budget, left, right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(run, operator, left, right);
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

const calculate = (operator: string, left: unknown, right: unknown): number | undefined => {
  if (left !== undefined && !isNumeric(left)) throw new EvaluationError('T2001', { value: left });
  if (right !== undefined && !isNumeric(right)) throw new EvaluationError('T2002', { value: right });
  if (left === undefined || right === undefined) return undefined;
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    default:
      return left % right;
  }
};

const isComparable = (value: unknown): value is string | number | undefined =>
  value === undefined || typeof value === 'string' || typeof value === 'number';

const compare = (run: Run, operator: string, left: unknown, right: unknown): boolean | undefined => {
  if (!isComparable(left)) throw new EvaluationError('T2010', { value: left });
  if (!isComparable(right)) throw new EvaluationError('T2010', { value: right });
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== typeof right) throw new EvaluationError('T2009', { value: left, value2: right });
  if (typeof left === 'string') run.budget.read(left.length);
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
};

/** Costs as much as the shorter string. V8 joins strings without copying, so appending in a loop is linear. */
const concatenate = ({ budget }: Run, left: unknown, right: unknown): string => {
  const head = left === undefined ? '' : stringify(budget, left);
  const tail = right === undefined ? '' : stringify(budget, right);
  budget.write(Math.min(head.length, tail.length));
  return head + tail;
};

const makeRange = ({ budget }: Run, left: unknown, right: unknown): Sequence | undefined => {
  if (left !== undefined && !Number.isInteger(left)) throw new EvaluationError('T2003', { value: left });
  if (right !== undefined && !Number.isInteger(right)) throw new EvaluationError('T2004', { value: right });
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
