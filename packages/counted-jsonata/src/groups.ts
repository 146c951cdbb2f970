import type { Budget } from './budget.ts';
import { EvaluationError } from './evaluation-error.ts';
import { type Frame, isTupleStream, type Run, type Tuple, toFrame } from './run.ts';
import type { Group } from './syntax-tree.ts';
import { Appender, type Members, setMember } from './values.ts';

/** The items of a key, and the index of the expression pair that produced the key. */
interface Gathered {
  readonly items: Appender;
  readonly pair: number;
}

/**
 * `{key: value, …}`, applied to a value or to the items of a list: groups the items by key, then evaluates the value
 * expression once per key.
 */
export const evaluateGroup = (run: Run, group: Group, input: unknown, frame: Frame): Members => {
  const carriesTuples = isTupleStream(input);
  const gathered = gather(run, group, input, carriesTuples, frame);
  const result: Members = {};
  run.budget.makeMembers(gathered.size);
  for (const [key, { items, pair }] of gathered) {
    const expression = group.lhs[pair]?.[1];
    if (expression === undefined) continue;
    const value = carriesTuples
      ? evaluateMerged(run, items.value, (context, inner) => run.evaluate(expression, context, inner), frame)
      : run.evaluate(expression, items.value, frame);
    if (value !== undefined) setMember(result, key, value);
  }
  return result;
};

const gather = (
  run: Run,
  group: Group,
  input: unknown,
  carriesTuples: boolean,
  frame: Frame,
): Map<string, Gathered> => {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const gathered = new Map<string, Gathered>();
  // An empty input makes one object as well.
  for (const item of items.length === 0 && !carriesTuples ? [undefined] : items) {
    const context = carriesTuples ? (item as Tuple)['@'] : item;
    const inner = carriesTuples ? toFrame(frame, item as Tuple) : frame;
    for (const [pair, [keyExpression]] of group.lhs.entries()) {
      const key = run.evaluate(keyExpression, context, inner);
      if (key === undefined) continue;
      if (typeof key !== 'string') throw new EvaluationError('T1003', { value: key }).at(group.position);
      const known = gathered.get(key);
      if (known === undefined) gathered.set(key, { items: new Appender(run.budget, item), pair });
      else if (known.pair !== pair) throw new EvaluationError('D1009', { value: key }).at(group.position);
      else known.items.add(item);
    }
  }
  return gathered;
};

const evaluateMerged = (
  { budget }: Run,
  tuples: unknown,
  evaluate: (context: unknown, frame: Frame) => unknown,
  frame: Frame,
): unknown => {
  const { '@': context, ...bindings } = mergeTuples(budget, tuples);
  return evaluate(context, toFrame(frame, bindings));
};

/** Merges the tuples of a group, so that each name has the values of all tuples. */
const mergeTuples = (budget: Budget, tuples: unknown): Tuple => {
  if (!Array.isArray(tuples)) return tuples as Tuple;
  const merged = new Map<string, Appender>();
  for (const tuple of tuples as Tuple[]) {
    for (const [name, value] of Object.entries(tuple)) {
      const values = merged.get(name);
      if (values === undefined) merged.set(name, new Appender(budget, value));
      else values.add(value);
    }
  }
  const result: Tuple = Object.create(null);
  for (const [name, { value }] of merged) result[name] = value;
  return result;
};
