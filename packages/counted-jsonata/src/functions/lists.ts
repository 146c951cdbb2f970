import { EvaluationError } from '../evaluation-error.ts';
import { type Native, native } from '../native.ts';
import type { Run } from '../run.ts';
import { chargeSort, mergeSort } from '../sorting.ts';
import { append, Func, isObject, Sequence, toBoolean } from '../values.ts';

type List = readonly unknown[];

/**
 * Calls a callback with as many arguments as it has parameters: the value, its index or key, and the whole structure.
 */
export const callBack = (run: Run, func: Func, value: unknown, place: unknown, whole: unknown): unknown => {
  const args = [value];
  if (func.arity >= 2) args.push(place);
  if (func.arity >= 3) args.push(whole);
  return run.apply(func, args, null);
};

const add = ({ budget }: Run, sequence: Sequence, item: unknown): void => {
  sequence.push(item);
  budget.makeItems(1);
  budget.checkLength(sequence.length);
};

const map = (run: Run, list: List | undefined, func: Func): Sequence | undefined => {
  if (list === undefined) return undefined;
  const results = new Sequence();
  for (const [index, item] of list.entries()) {
    const result = callBack(run, func, item, index, list);
    if (result !== undefined) add(run, results, result);
  }
  return results;
};

const filter = (run: Run, list: List | undefined, func: Func): Sequence | undefined => {
  if (list === undefined) return undefined;
  const results = new Sequence();
  for (const [index, item] of list.entries()) {
    if (toBoolean(run.budget, callBack(run, func, item, index, list)) === true) add(run, results, item);
  }
  return results;
};

const single = (run: Run, list: List | undefined, func?: Func): unknown => {
  if (list === undefined) return undefined;
  run.budget.readItems(list.length);
  const found: unknown[] = [];
  for (const [index, item] of list.entries()) {
    const isMatch =
      func === undefined || toBoolean(run.budget, callBack(run, func, item, index, list)) === true;
    if (isMatch) found.push(item);
    if (found.length > 1) throw new EvaluationError('D3138');
  }
  if (found.length === 0) throw new EvaluationError('D3139');
  return found[0];
};

const reduce = (run: Run, list: List | undefined, func: Func, init: unknown): unknown => {
  if (list === undefined) return undefined;
  if (func.arity < 2) throw new EvaluationError('D3050');
  const startsWithFirst = init === undefined && list.length > 0;
  let result = startsWithFirst ? list[0] : init;
  for (let index = startsWithFirst ? 1 : 0; index < list.length; index++) {
    const args = [result, list[index]];
    if (func.arity >= 3) args.push(index);
    if (func.arity >= 4) args.push(list);
    result = run.apply(func, args, null);
  }
  return result;
};

const zip = (run: Run, lists: readonly unknown[]): List[] => {
  const columns = lists.map((list) => (Array.isArray(list) ? (list as List) : []));
  const length = columns.length === 0 ? 0 : Math.min(...columns.map((column) => column.length));
  run.budget.spend(length * (1 + columns.length / 8));
  return Array.from({ length }, (_, row) => columns.map((column) => column[row]));
};

const isArrayOf = (list: List, type: 'number' | 'string'): boolean =>
  list.every((item) => typeof item === type);

const sort = (run: Run, list: List | undefined, func?: Func): List | undefined => {
  if (list === undefined || list.length <= 1) return list;
  chargeSort(run, list.length);
  if (func !== undefined) {
    return mergeSort(list, (a, b) => toBoolean(run.budget, run.apply(func, [a, b], null)) === true);
  }
  if (isArrayOf(list, 'string')) {
    return mergeSort(list, (a, b) => {
      run.budget.read(Math.min((a as string).length, (b as string).length));
      return (a as string) > (b as string);
    });
  }
  if (!isArrayOf(list, 'number')) throw new EvaluationError('D3070');
  return mergeSort(list, (a, b) => (a as number) > (b as number));
};

const shuffle = (run: Run, list: List | undefined): List | undefined => {
  if (list === undefined) return undefined;
  chargeSort(run, list.length);
  return list
    .map((item) => ({ item, rank: run.environment.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
};

/** `$distinct()`: each value once. Lists and objects are compared by a canonical text, in linear time. */
const distinct = (run: Run, value: unknown): unknown => {
  if (!Array.isArray(value) || value.length <= 1) return value;
  const { budget } = run;
  const write = createWriter(run);
  const plain = new Set<unknown>();
  const structures = new Set<string>();
  const results: unknown[] = value instanceof Sequence ? new Sequence() : [];
  budget.spend(value.length / 2); // for the sets
  for (const item of value) {
    const isStructure = typeof item === 'object' && item !== null && !(item instanceof Func);
    const before = plain.size + structures.size;
    if (isStructure) structures.add(write(item, 0));
    else plain.add(item);
    if (typeof item === 'string') budget.read(item.length);
    if (plain.size + structures.size > before) results.push(item);
  }
  return results;
};

/** Writes equal structures as equal texts, by sorting the keys. */
const createWriter = ({ budget }: Run): ((value: unknown, level: number) => string) => {
  const functions = new Map<Func, number>();
  const write = (value: unknown, level: number): string => {
    budget.checkNesting(level);
    if (Array.isArray(value)) {
      budget.makeItems(value.length);
      return `[${Array.from(value, (item) => write(item, level + 1)).join()}]`;
    }
    if (isObject(value)) {
      const keys = Object.keys(value).sort();
      budget.makeMembers(2 * keys.length);
      return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value[key], level + 1)}`).join()}}`;
    }
    if (value instanceof Func) {
      if (!functions.has(value)) functions.set(value, functions.size);
      return `f${functions.get(value)}`;
    }
    if (typeof value !== 'string') return String(value);
    budget.write(value.length);
    return JSON.stringify(value);
  };
  return write;
};

export const listFunctions: Readonly<Record<string, Native>> = {
  count: native('<a:n>', (_run, list?: List) => list?.length ?? 0),
  map: native('<af>', map),
  filter: native('<af>', filter),
  single: native('<af?>', single),
  reduce: native('<afj?:j>', reduce),
  zip: native('<a+>', (run, ...lists: unknown[]) => zip(run, lists)),
  append: native('<xx:a>', (run, left: unknown, right: unknown) => append(run.budget, left, right)),
  reverse: native('<a:a>', ({ budget }, list?: List) => {
    if (list === undefined || list.length <= 1) return list;
    budget.makeItems(list.length);
    return [...list].reverse();
  }),
  sort: native('<af?:a>', sort),
  shuffle: native('<a:a>', shuffle),
  distinct: native('<x:x>', distinct),
};
