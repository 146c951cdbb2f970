import type { Budget } from './budget.ts';
import { evaluateGroup } from './groups.ts';
import { type Frame, isTupleStream, type Run, type Tuple, toFrame, toTuples, valuesOf } from './run.ts';
import { evaluateSort } from './sorting.ts';
import type { Node, NodeOf, Stage } from './syntax-tree.ts';
import { Appender, ConstructedArray, Func, isNumeric, isObject, Sequence, toBoolean } from './values.ts';

type List = readonly unknown[];

/** Evaluates a path: each step is evaluated for every value of the previous step. A single value needs no list. */
export const evaluatePath = (run: Run, node: NodeOf<'path'>, input: unknown, frame: Frame): unknown => {
  const { steps } = node;
  if (Array.isArray(input) && steps[0].type !== 'variable') return evaluateSteps(run, node, 0, input, frame);
  let value = input;
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] as Node;
    if (at > 0 && isFlattened(value)) {
      // Sorting returns a list of one unchanged, so the list must become a sequence.
      return evaluateSteps(run, node, at, step.type === 'sort' ? flatten(run, [value]) : value, frame);
    }
    if (!isPlain(step)) return evaluateSteps(run, node, at, Sequence.of1(value), frame);
    value = evaluatePlain(run, step, value, frame);
    if (value === undefined) break;
  }
  if (value instanceof Sequence) return finish(run, node, flatten(run, [value]), frame);
  if (node.group === undefined && node.keepSingletonArray !== true) return value;
  const found = value === undefined ? [] : [value];
  return finish(run, node, Array.isArray(value) ? value : flatten(run, found), frame);
};

/** Whether a value of a step is flattened, so that its items become values of the path. */
const isFlattened = (value: unknown): value is List =>
  Array.isArray(value) && !(value instanceof ConstructedArray);

/** Whether a step can be evaluated for a value that is not wrapped in a list. */
const isPlain = (step: Node): boolean =>
  step.type !== 'sort' && step.tuple !== true && step.consarray !== true;

/** Evaluates a step for one value. */
const evaluatePlain = (run: Run, step: Node, value: unknown, frame: Frame): unknown => {
  let result = run.evaluate(step, value, frame);
  if (step.stages === undefined) return result;
  for (const stage of step.stages) {
    if (stage.type === 'filter') result = evaluateFilter(run, stage.expr, result, frame);
  }
  if (!(result instanceof Sequence) || result.length > 1) return result;
  const [item] = result;
  // The next step is also evaluated for a selected undefined, and only once for a selected list.
  const isPlainItem = item !== undefined && !Array.isArray(item);
  return result.length === 0 || isPlainItem ? item : result;
};

/** Evaluates the steps from `start` on, for the values of the previous step. */
const evaluateSteps = (
  run: Run,
  node: NodeOf<'path'>,
  start: number,
  before: List,
  frame: Frame,
): unknown => {
  let values = before;
  let found: List = new Sequence();
  let tuples: Sequence | undefined;
  let carriesTuples = false;

  for (let at = start; at < node.steps.length; at++) {
    const step = node.steps[at] as Node;
    if (!carriesTuples && at > 0 && values.length === 0) break;
    if (step.tuple === true) carriesTuples = true;
    if (at === 0 && step.consarray === true) found = itemsOf(run, run.evaluate(step, values, frame));
    else if (carriesTuples) tuples = evaluateTupleStep(run, step, values, tuples, frame);
    else found = evaluateStep(run, step, values, frame, at === node.steps.length - 1);
    if (step.focus === undefined) values = found;
  }

  if (tuples !== undefined) found = node.tuple === true ? tuples : valuesOf(tuples);
  return finish(run, node, found, frame, tuples);
};

/**
 * The values of `[…]` as the first step. As in the library, an item that a predicate selects from it, `[a, b][0].name`,
 * has no values, except that a string has its characters.
 */
const itemsOf = ({ budget }: Run, value: unknown): List => {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return new Sequence();
  budget.makeItems(value.length);
  return Array.from(value);
};

/** Keeps a single item in a list if the path has `[]`, and applies grouping. */
const finish = (run: Run, node: NodeOf<'path'>, list: List, frame: Frame, tuples?: Sequence): unknown => {
  let found = list;
  if (node.keepSingletonArray === true) {
    if (found instanceof ConstructedArray) found = Sequence.of1(found);
    if (found instanceof Sequence) found.keepSingleton = true;
  }
  return node.group === undefined ? found : evaluateGroup(run, node.group, tuples ?? found, frame);
};

const evaluateStep = (run: Run, step: Node, values: List, frame: Frame, isLast: boolean): List => {
  if (step.type === 'sort') {
    return applyStages(run, step.stages, evaluateSort(run, step, values, frame), frame);
  }
  const results: unknown[] = [];
  for (const value of values) {
    let result = run.evaluate(step, value, frame);
    if (step.stages !== undefined) {
      for (const stage of step.stages) {
        if (stage.type === 'filter') result = evaluateFilter(run, stage.expr, result, frame);
      }
    }
    if (result !== undefined) results.push(result);
  }
  const first = results[0];
  if (isLast && results.length === 1 && Array.isArray(first) && !(first instanceof Sequence)) return first;
  return flatten(run, results);
};

/** Flattens the results of a step by one level. */
const flatten = ({ budget }: Run, results: List): Sequence => {
  const flat = new Sequence();
  for (const result of results) {
    if (isFlattened(result)) {
      budget.makeItems(result.length);
      for (const item of result) flat.push(item);
    } else {
      flat.push(result);
    }
    budget.checkLength(flat.length);
  }
  budget.makeItems(results.length);
  return flat;
};

const applyStages = (run: Run, stages: readonly Stage[] | undefined, list: List, frame: Frame): List => {
  let result = list;
  for (const stage of stages ?? []) {
    if (stage.type === 'filter') {
      result = evaluateFilter(run, stage.expr, result, frame);
    } else {
      for (const [position, tuple] of result.entries()) (tuple as Tuple)[stage.value] = position;
    }
  }
  return result;
};

const evaluateTupleStep = (
  run: Run,
  step: Node,
  values: List,
  before: Sequence | undefined,
  frame: Frame,
): Sequence => {
  if (step.type === 'sort') {
    const sorted = evaluateSort(run, step, before ?? values, frame);
    const tuples = before === undefined ? toTuples(sorted, step.index) : sorted;
    return applyStages(run, step.stages, tuples, frame) as Sequence;
  }
  const results = new Sequence();
  results.tupleStream = true;
  for (const tuple of (before ?? toTuples(values)) as Tuple[]) {
    const context = tuple['@'];
    const found = run.evaluate(step, context, toFrame(frame, tuple));
    if (found === undefined) continue;
    const items: List = Array.isArray(found) ? found : [found];
    run.budget.makeItems(items.length);
    for (const [position, item] of items.entries()) {
      const next: Tuple = Object.assign(Object.create(null), tuple);
      if (isTupleStream(found)) {
        Object.assign(next, item);
      } else {
        if (step.focus === undefined) next['@'] = item;
        else next[step.focus] = item;
        if (step.index !== undefined) next[step.index] = position;
        if (step.ancestor !== undefined) next[step.ancestor.label] = context;
      }
      results.push(next);
    }
    run.budget.checkLength(results.length);
  }
  return applyStages(run, step.stages, results, frame) as Sequence;
};

/** `list[predicate]`: selects by position if the predicate is a number, otherwise the items for which it is true. */
export const evaluateFilter = (run: Run, predicate: Node, input: unknown, frame: Frame): List => {
  const list: List = Array.isArray(input) ? input : [input];
  const results = new Sequence();
  const carriesTuples = isTupleStream(list);
  results.tupleStream = carriesTuples;
  if (predicate.type === 'number') {
    const item = list.at(Math.floor(predicate.value as number));
    if (Array.isArray(item)) return item;
    if (item !== undefined) results.push(item);
    return results;
  }
  for (let position = 0; position < list.length; position++) {
    const item = list[position];
    const found = carriesTuples
      ? run.evaluate(predicate, (item as Tuple)['@'], toFrame(frame, item as Tuple))
      : run.evaluate(predicate, item, frame);
    const times = countSelections(run, found, position, list.length);
    for (let time = 0; time < times; time++) results.push(item);
  }
  run.budget.makeItems(results.length);
  return results;
};

/**
 * How often a predicate selects the item at a position: once if it is true, or once for each number that names the
 * position.
 */
const countSelections = (run: Run, found: unknown, position: number, length: number): number => {
  if (typeof found === 'boolean') return found ? 1 : 0;
  // Numbers are rounded down; negative ones count from the end.
  const isHere = (number: number) => {
    const index = number < 0 ? length + number : number;
    return index >= position && index < position + 1;
  };
  if (isNumeric(found)) return isHere(found) ? 1 : 0;
  if (Array.isArray(found)) {
    run.budget.readItems(found.length);
    if (found.every(isNumeric)) return found.filter(isHere).length;
  }
  return toBoolean(run.budget, found) === true ? 1 : 0;
};

/** `name`: the own property of an object, or of each object in a list. */
export const findMember = (run: Run, input: unknown, name: string, level = 0): unknown => {
  if (!Array.isArray(input)) {
    return isObject(input) && Object.hasOwn(input, name) ? input[name] : undefined;
  }
  const found = new Sequence();
  run.budget.checkNesting(level);
  run.budget.readItems(input.length);
  for (const item of input) {
    const member = findMember(run, item, name, level + 1);
    if (member === undefined) continue;
    if (Array.isArray(member)) {
      run.budget.makeItems(member.length);
      for (const one of member) found.push(one);
    } else {
      found.push(member);
    }
    run.budget.checkLength(found.length);
  }
  run.budget.makeItems(found.length);
  return found;
};

/** `*`: the values of an object, with lists flattened; after flattening, the result stays a list even with one item. */
export const evaluateWildcard = ({ budget }: Run, input: unknown): unknown => {
  const members = Array.isArray(input) ? Array.from(input) : isObject(input) ? Object.values(input) : [];
  budget.readMembers(members.length);
  budget.makeItems(members.length);
  if (!members.some((member) => Array.isArray(member))) return Sequence.ofAll(members);
  const all = new Appender(budget, []);
  for (const member of members) all.add(Array.isArray(member) ? flattenDeep(budget, member, [], 0) : member);
  return all.value;
};

const flattenDeep = (budget: Budget, list: List, flat: unknown[], level: number): unknown[] => {
  budget.checkNesting(level);
  budget.makeItems(list.length);
  for (const item of list) {
    if (Array.isArray(item)) flattenDeep(budget, item, flat, level + 1);
    else flat.push(item);
  }
  return flat;
};

/** `**`: a value and everything inside it; a list contributes its items, not itself. */
export const evaluateDescendants = ({ budget }: Run, input: unknown): unknown => {
  if (input === undefined) return undefined;
  const found = new Sequence();
  const visit = (value: unknown, level: number): void => {
    budget.checkNesting(level);
    budget.makeItems(1);
    if (!Array.isArray(value)) {
      found.push(value);
      budget.checkLength(found.length);
      if (typeof value !== 'object' || value === null || value instanceof Func) return;
    }
    const members = Array.isArray(value) ? value : Object.values(value);
    budget.readMembers(members.length);
    for (const member of members) visit(member, level + 1);
  };
  visit(input, 0);
  return found.length === 1 ? found[0] : found;
};
