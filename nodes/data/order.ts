import type { JsonValue } from '@hookloom/plugin-kit';
import { toKey } from './to-key.ts';

const ranks: Readonly<Record<string, number>> = { number: 0, string: 1, boolean: 2 };
const LIST = 3;
const MAP = 4;

const rankOf = (value: JsonValue): number => (Array.isArray(value) ? LIST : (ranks[typeof value] ?? MAP));

/**
 * The order of any two JSON values: numbers, then strings by UTF-16 units, `false`, `true`, lists item by item, maps by
 * their JSON with sorted keys. No locale has a part in it, so it is the same everywhere.
 *
 * @returns a number below, equal to or above 0, as for `Array.sort`
 */
export const compareValues = (left: JsonValue, right: JsonValue): number => {
  const rank = rankOf(left);
  const difference = rank - rankOf(right);
  if (difference !== 0) return difference;
  if (rank === LIST) return compareLists(left as readonly JsonValue[], right as readonly JsonValue[]);
  return rank === MAP ? comparePrimitives(toKey(left), toKey(right)) : comparePrimitives(left, right);
};

const comparePrimitives = (left: JsonValue, right: JsonValue): number => {
  if (left === right) return 0;
  return (left as string) < (right as string) ? -1 : 1;
};

const compareLists = (left: readonly JsonValue[], right: readonly JsonValue[]): number => {
  for (const [index, item] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareValues(item, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
};
