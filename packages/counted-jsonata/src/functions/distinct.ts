import type { Run } from '../run.ts';
import { Func, isObject, Sequence } from '../values.ts';

/** `$distinct()`: each value once. Lists and objects are compared by a canonical text, in linear time. */
export const distinct = (run: Run, value: unknown): unknown => {
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
