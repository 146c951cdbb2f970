import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { type Leaf, toLeaf } from './leaf.ts';

/** What a pattern without `$or` requires of an object: fields by key, in path order. */
export type PatternTree = ReadonlyMap<string, PatternNode>;

/** What it requires of the value of one key. */
export type PatternNode = Leaf | PatternTree;

export const isTree = (node: PatternNode): node is PatternTree => node instanceof Map;

/** A field of a pattern: its keys from the root. */
interface Field {
  readonly keys: readonly string[];
  readonly leaf: Leaf;
}

/**
 * Expands a pattern into patterns without `$or`: an event that matches one of them matches it.
 *
 * @param pattern - without problems, so it expands to at most 1,000
 */
export const toTrees = (pattern: JsonObject): readonly PatternTree[] => expand(pattern, []).map(toTree);

/** The fields of each pattern without `$or`. */
const expand = (pattern: JsonObject, keys: readonly string[]): readonly (readonly Field[])[] => {
  let combinations: readonly (readonly Field[])[] = [[]];
  for (const [key, value] of Object.entries(pattern)) {
    const choices = expandField(key, value, keys);
    combinations = combinations.flatMap((fields) => choices.map((more) => [...fields, ...more]));
  }
  return combinations;
};

const expandField = (
  key: string,
  value: JsonValue,
  keys: readonly string[],
): readonly (readonly Field[])[] => {
  if (key === '$or') return (value as readonly JsonObject[]).flatMap((choice) => expand(choice, keys));
  const path = [...keys, key];
  return Array.isArray(value) ? [[{ keys: path, leaf: toLeaf(value) }]] : expand(value as JsonObject, path);
};

/** The order of paths matters: see `matchesPattern`. In it, all paths below one key are adjacent. */
const toTree = (fields: readonly Field[]): PatternTree => {
  const root = new Map<string, PatternNode>();
  const byPath = fields.map((field) => ({ ...field, path: field.keys.join('.') }));
  byPath.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { keys, leaf } of byPath) {
    let tree = root;
    for (const key of keys.slice(0, -1)) {
      const known = tree.get(key);
      const child = known instanceof Map ? known : new Map<string, PatternNode>();
      tree.set(key, child);
      tree = child;
    }
    tree.set(keys.at(-1) ?? '', leaf);
  }
  return root;
};
