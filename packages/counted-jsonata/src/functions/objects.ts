import { EvaluationError } from '../evaluation-error.ts';
import { type Native, native } from '../native.ts';
import { findMember } from '../paths.ts';
import type { Run } from '../run.ts';
import { clone } from '../stringify.ts';
import { Func, isNumeric, isObject, type Members, Sequence, setMember, toBoolean } from '../values.ts';
import { callBack } from './lists.ts';

/** The keys of an object, or of all objects in a list, without duplicates. */
const findKeys = ({ budget }: Run, value: unknown): Sequence => {
  if (isObject(value)) {
    const own = Object.keys(value);
    budget.readMembers(own.length);
    return Sequence.ofAll(own);
  }
  // An object instead of a set, because its key order, integer keys first, is the order of the result.
  const keys: Members = {};
  const visit = (one: unknown, level: number): void => {
    budget.checkNesting(level);
    if (Array.isArray(one)) {
      budget.readItems(one.length);
      for (const item of one) visit(item, level + 1);
    } else if (isObject(one)) {
      const own = Object.keys(one);
      budget.makeMembers(own.length);
      for (const key of own) setMember(keys, key, true);
    }
  };
  visit(value, 0);
  return Sequence.ofAll(Object.keys(keys));
};

/** One object per member of an object, or of each object in a list. Other values are unchanged. */
const spread = (run: Run, value: unknown, level = 0): unknown => {
  run.budget.checkNesting(level);
  if (isObject(value)) {
    const members = Object.entries(value);
    run.budget.spend(2 * members.length);
    return Sequence.ofAll(
      members.map(([key, member]) => {
        const single: Members = {};
        setMember(single, key, member);
        return single;
      }),
    );
  }
  if (!Array.isArray(value)) return value;
  const all: unknown[] = value.length === 0 ? new Sequence() : [];
  for (const item of value) {
    const parts = spread(run, item, level + 1);
    if (Array.isArray(parts)) for (const part of parts) all.push(part);
    else if (parts !== undefined) all.push(parts);
    run.budget.checkLength(all.length);
  }
  run.budget.makeItems(all.length);
  return all;
};

const merge = ({ budget }: Run, objects: readonly Members[] | undefined): Members | undefined => {
  if (objects === undefined) return undefined;
  const merged: Members = {};
  for (const object of objects) {
    const keys = Object.keys(object);
    budget.makeMembers(keys.length);
    for (const key of keys) setMember(merged, key, object[key]);
  }
  return merged;
};

const membersOf = ({ budget }: Run, value: unknown): [string, unknown][] => {
  const members = isObject(value) ? Object.entries(value) : [];
  budget.makeMembers(members.length);
  return members;
};

const each = (run: Run, object: unknown, func: Func): Sequence => {
  const results = new Sequence();
  for (const [key, member] of membersOf(run, object)) {
    const result = callBack(run, func, member, key, object);
    if (result !== undefined) results.push(result);
  }
  return results;
};

const sift = (run: Run, object: unknown, func: Func): Members | undefined => {
  const kept: Members = {};
  let count = 0;
  for (const [key, member] of membersOf(run, object)) {
    if (toBoolean(run.budget, callBack(run, func, member, key, object)) !== true) continue;
    setMember(kept, key, member);
    count++;
  }
  return count === 0 ? undefined : kept;
};

const typeOf = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  if (value === null) return 'null';
  if (isNumeric(value)) return 'number';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Func) return 'function';
  return typeof value;
};

export const objectFunctions: Readonly<Record<string, Native>> = {
  keys: native('<x-:a<s>>', findKeys),
  lookup: native('<x-s:x>', findMember),
  spread: native('<x-:a<o>>', spread),
  merge: native('<a<o>:o>', merge),
  each: native('<o-f:a>', each),
  sift: native('<o-f?:o>', sift),
  type: native('<x:s>', (_run, value: unknown) => typeOf(value)),
  exists: native('<x:b>', (_run, value: unknown) => value !== undefined),
  boolean: native('<x-:b>', (run, value: unknown) => toBoolean(run.budget, value)),
  not: native('<x-:b>', (run, value: unknown) => {
    const truth = toBoolean(run.budget, value);
    return truth === undefined ? undefined : !truth;
  }),
  clone: native('<(oa)-:o>', (run, value: unknown) =>
    value === undefined ? undefined : clone(run.budget, value),
  ),
  error: native('<s?:x>', (_run, message?: string) => {
    throw new EvaluationError('D3137', { message: message || '$error() function evaluated' });
  }),
  assert: native('<bs?:x>', (_run, condition: unknown, message?: string) => {
    if (condition === true) return;
    throw new EvaluationError('D3141', { message: message || '$assert() statement failed' });
  }),
};
