import { EvaluationError } from './evaluation-error.ts';
import { type Frame, isTupleStream, type Run, type Tuple, toFrame } from './run.ts';
import type { NodeOf } from './syntax-tree.ts';

/** Merge sort: stable, with the same comparisons in the same order on every platform. */
export const mergeSort = (
  items: readonly unknown[],
  isAfter: (left: unknown, right: unknown) => boolean,
): unknown[] => {
  if (items.length <= 1) return [...items];
  const middle = Math.floor(items.length / 2);
  const left = mergeSort(items.slice(0, middle), isAfter);
  const right = mergeSort(items.slice(middle), isAfter);
  const merged: unknown[] = [];
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    merged.push(isAfter(left[l], right[r]) ? right[r++] : left[l++]);
  }
  while (l < left.length) merged.push(left[l++]);
  while (r < right.length) merged.push(right[r++]);
  return merged;
};

/** Spends the cost of a merge sort, not counting the comparisons. */
export const chargeSort = ({ budget }: Run, length: number): void => {
  budget.checkLength(length);
  budget.makeItems(length * Math.ceil(Math.log2(length + 1)));
};

/** Evaluates `list^(term, >term)`. */
export const evaluateSort = (
  run: Run,
  node: NodeOf<'sort'>,
  list: readonly unknown[],
  frame: Frame,
): readonly unknown[] => {
  if (list.length <= 1) return list;
  chargeSort(run, list.length);
  const carriesTuples = isTupleStream(list);
  const evaluate = (term: NodeOf<'sort'>['terms'][number], item: unknown) =>
    carriesTuples
      ? run.evaluate(term.expression, (item as Tuple)['@'], toFrame(frame, item as Tuple))
      : run.evaluate(term.expression, item, frame);
  return mergeSort(list, (left, right) => {
    for (const term of node.terms) {
      const order = compareTerms(run, node, evaluate(term, left), evaluate(term, right));
      if (order !== 0) return (term.descending && Number.isFinite(order) ? -order : order) > 0;
    }
    return false;
  });
};

/** Compares two values of a term; infinite for undefined, which sorts last in either direction. */
const compareTerms = ({ budget }: Run, node: NodeOf<'sort'>, left: unknown, right: unknown): number => {
  if (left === undefined) return right === undefined ? 0 : Number.POSITIVE_INFINITY;
  if (right === undefined) return Number.NEGATIVE_INFINITY;
  if (!isSortable(left)) throw new EvaluationError('T2008').at(node.position);
  if (!isSortable(right)) throw new EvaluationError('T2008').at(node.position);
  if (typeof left !== typeof right) {
    throw new EvaluationError('T2007', { value: left, value2: right }).at(node.position);
  }
  if (typeof left === 'string') budget.read(left.length);
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

const isSortable = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';
