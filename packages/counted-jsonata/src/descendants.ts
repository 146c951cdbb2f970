import type { Run } from './run.ts';
import { Appender, Func, isObject, Sequence } from './values.ts';

/** `*`: the values of an object, with lists flattened; after flattening, the result stays a list even with one item. */
export const evaluateWildcard = ({ budget }: Run, input: unknown): unknown => {
  const members = Array.isArray(input) ? Array.from(input) : isObject(input) ? Object.values(input) : [];
  budget.readMembers(members.length);
  budget.makeItems(members.length);
  if (!members.some((member) => Array.isArray(member))) return Sequence.ofAll(members);
  const all = new Appender(budget, []);
  for (const member of members) all.add(Array.isArray(member) ? flatten(budget, member, [], 0) : member);
  return all.value;
};

const flatten = (
  budget: Run['budget'],
  list: readonly unknown[],
  flat: unknown[],
  level: number,
): unknown[] => {
  budget.checkNesting(level);
  budget.makeItems(list.length);
  for (const item of list) {
    if (Array.isArray(item)) flatten(budget, item, flat, level + 1);
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
