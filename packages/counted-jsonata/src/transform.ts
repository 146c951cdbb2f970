import { EvaluationError } from './evaluation-error.ts';
import type { Frame, Run } from './run.ts';
import { parseSignature } from './signature.ts';
import { isCloned } from './stringify.ts';
import type { TransformNode } from './syntax-tree.ts';
import { Func, isObject, type Members } from './values.ts';

const signature = parseSignature('<(oa):o>');

/** `|pattern|update, delete|`: a function that returns a changed copy of its argument. */
export const evaluateTransform = (run: Run, node: TransformNode, frame: Frame): Func =>
  new Func(1, (args, context) => {
    const [value] = signature.validate(args, context);
    if (value === undefined) return undefined;
    const clone = frame.lookup('clone');
    if (!(clone instanceof Func)) throw new EvaluationError('T2013').at(node.position);
    const copy = run.apply(clone, [value], null);
    const found = run.evaluate(node.pattern, copy, frame);
    if (found === undefined) return copy;
    for (const match of Array.isArray(found) ? found : [found]) change(run, node, match, frame);
    return copy;
  });

const change = (run: Run, node: TransformNode, match: unknown, frame: Frame): void => {
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
const changeable = (node: TransformNode, match: unknown): Members => {
  if (!isObject(match) || !isCloned(match)) {
    throw new EvaluationError('T2014').at(node.position);
  }
  return match;
};
