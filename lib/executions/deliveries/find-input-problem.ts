import type { JsonObject } from '@hookloom/plugin-kit';

/** Limits of the input, the same as for request bodies: lib/http/parse-json-body.ts. */
const MAX_VALUES = 1_000_000;
const MAX_NESTED = 500_000;

/** Levels that a trigger adds around the sender's data: `{ messages: [{ body }] }` and one to spare. */
const ENVELOPE_LEVELS = 4;

/**
 * Checks the input of any trigger before its execution is stored. Not recursive: recursive functions such as
 * `JSON.stringify` overflow the stack at a few thousand levels, while `JSON.parse` accepts millions.
 *
 * @param maxDepth - maximum nesting depth of the sender's data
 * @returns why the input can't be run, such as `it contains a number that is too large`; null if it can
 */
export const findInputProblem = (input: JsonObject, maxDepth: number): string | null => {
  const limit = maxDepth + ENVELOPE_LEVELS;
  let level: object[] = [input];
  let [values, nested] = [1, 0];
  // Level by level: the number of rounds is the depth.
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return `it is nested deeper than ${limit} levels`;
    nested += level.length;
    if (nested > MAX_NESTED) return `it has more than ${MAX_NESTED} arrays and objects`;
    const next: object[] = [];
    for (const parent of level) {
      if (Object.hasOwn(parent, '__proto__') || hasPrototype(parent))
        return 'it contains a key that is not allowed';
      for (const value of Object.values(parent)) {
        values += 1;
        if (typeof value === 'object' && value !== null) next.push(value);
        // `1e400` parses to Infinity, which JSON can't represent.
        else if (typeof value === 'number' && !Number.isFinite(value))
          return 'it contains a number that is too large';
      }
      if (values > MAX_VALUES) return `it has more than ${MAX_VALUES} values`;
    }
    level = next;
  }
  return null;
};

/** Whether a key could change a prototype when a node copies it. */
const hasPrototype = (map: object): boolean => {
  if (!Object.hasOwn(map, 'constructor')) return false;
  const { constructor: value } = map as { readonly constructor: unknown };
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
};
