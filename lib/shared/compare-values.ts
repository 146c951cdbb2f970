import { isDeepStrictEqual } from 'node:util';
import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import { toPointerKey } from './describe.ts';

/** A value that two JSON values have differently. */
export interface Change {
  /** A JSON pointer (RFC 6901): `/input/total`. */
  readonly path: string;
  /** Absent if it was added. */
  readonly from?: JsonValue;
  /** Absent if it was removed. */
  readonly to?: JsonValue;
}

interface CompareOptions {
  /** Put before the path of each change. */
  readonly path?: string;
  /** The members to compare one by one; null for a value that is compared as a whole. By default, those of maps. */
  readonly membersOf?: (value: JsonValue | undefined) => ReadonlyMap<string, JsonValue> | null;
  readonly isSame?: (from: JsonValue | undefined, to: JsonValue | undefined) => boolean;
}

/** Maps are compared key by key, and lists as a whole: an index says little once an item is inserted. */
const membersOfMaps = (value: JsonValue | undefined): ReadonlyMap<string, JsonValue> | null =>
  isPlainObject(value) ? membersOfAll(value) : null;

/** The members of maps and lists, for lists whose items keep their places. */
export const membersOfAll = (value: JsonValue | undefined): ReadonlyMap<string, JsonValue> | null =>
  isPlainObject(value) || Array.isArray(value)
    ? new Map(Object.entries(value as Readonly<Record<string, JsonValue>>))
    : null;

/** What to change in one value to get the other, without recursion, since values may nest deeply. */
export const compareValues = (
  from: JsonValue,
  to: JsonValue,
  { path = '', membersOf = membersOfMaps, isSame = isDeepStrictEqual }: CompareOptions = {},
): readonly Change[] => {
  const changes: Change[] = [];
  const work: Change[] = [{ path, from, to }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const before = membersOf(next.from);
    const after = membersOf(next.to);
    if (before === null || after === null || Array.isArray(next.from) !== Array.isArray(next.to)) {
      if (!isSame(next.from, next.to)) changes.push(next);
      continue;
    }
    for (const key of [...new Set([...before.keys(), ...after.keys()])].reverse())
      work.push({
        path: `${next.path}/${toPointerKey(key)}`,
        ...(before.has(key) ? { from: before.get(key) as JsonValue } : {}),
        ...(after.has(key) ? { to: after.get(key) as JsonValue } : {}),
      });
  }
  return changes;
};

/** The keys in a JSON pointer, from the outermost on. */
export const keysOfPointer = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
