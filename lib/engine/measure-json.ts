import { isPlainObject } from '@hookloom/plugin-kit';

/** A value that JSON can't represent, with its JSON pointer (RFC 6901), which is empty for the whole value. */
class NotJsonError extends Error {
  constructor(pointer: string, found: string) {
    super(`${found} at ${pointer === '' ? 'the top' : pointer} can't be carried by JSON`);
    this.name = 'NotJsonError';
  }
}

/** Levels of nesting: far more than real data has, and few enough for the stack of `JSON.stringify`. */
const MAX_DEPTH = 1_000;

/** A smaller value is measured as quickly as it is looked up, and a body can hold millions of them. */
const MIN_CACHED_BYTES = 256;

/** Returns the size of a value as JSON, in bytes. */
export type MeasureJson = (value: unknown) => number;

/**
 * Creates a function that checks that a value is plain JSON, freezes it deeply, and returns its approximate size as JSON
 * in bytes (text is counted by UTF-16 units). Frozen data is shared between nodes without a copy. Results are cached, so
 * that passing a large value through many nodes costs nothing.
 */
export const createMeasureJson = (): MeasureJson => {
  /**
   * The size and depth of frozen data, which never change. Each measurer has its own: adding an entry for short-lived data to
   * a map that outlives the execution costs ten times as much.
   */
  const measured = new WeakMap<object, { readonly bytes: number; readonly height: number }>();
  /** Keys from the root to the current value. */
  const path: (string | number)[] = [];
  /** Levels of nesting of the list or map measured last, including itself. */
  let height = 0;

  const measureObject = (value: object, depth: number): number => {
    const cached = measured.get(value);
    // A cached value counts with all its levels, because nodes that wrap their inputs nest deeper and deeper.
    if (depth + (cached?.height ?? 1) > MAX_DEPTH) throw tooDeep();
    if (cached !== undefined) {
      height = cached.height;
      return cached.bytes;
    }
    const bytes = Array.isArray(value) ? measureList(value, depth) : measureMap(value, depth);
    Object.freeze(value);
    if (bytes >= MIN_CACHED_BYTES) measured.set(value, { bytes, height });
    return bytes;
  };

  const measureList = (list: readonly unknown[], depth: number): number => {
    let bytes = 2;
    let highest = 0;
    for (let index = 0; index < list.length; index++) {
      bytes += measureItem(list[index], depth + 1, index) + 1;
      if (height > highest) highest = height;
    }
    height = highest + 1;
    return bytes;
  };

  const measureMap = (map: object, depth: number): number => {
    if (!isPlainObject(map)) throw new NotJsonError(toPointer(path), `an instance of ${className(map)}`);
    let bytes = 2;
    let highest = 0;
    for (const key of Object.keys(map)) {
      bytes += measureItem(map[key], depth + 1, key) + key.length + 4;
      if (height > highest) highest = height;
    }
    height = highest + 1;
    return bytes;
  };

  /** @param key - in the enclosing value; absent for the whole value */
  const measureItem = (item: unknown, depth: number, key?: string | number): number => {
    if (typeof item === 'object' && item !== null) {
      if (key !== undefined) path.push(key);
      const bytes = measureObject(item, depth);
      if (key !== undefined) path.pop();
      return bytes;
    }
    height = 0;
    if (typeof item === 'string') return item.length + 2;
    if (Number.isFinite(item)) return String(item).length;
    if (typeof item === 'boolean') return 5;
    if (item === null) return 4;
    const found = typeof item === 'number' ? String(item) : typeof item;
    throw new NotJsonError(toPointer(key === undefined ? path : [...path, key]), found);
  };

  return (value) => {
    path.length = 0;
    return measureItem(value, 0);
  };
};

/** One function for all: each measurement ends before the next begins. */

const tooDeep = (): NotJsonError =>
  new NotJsonError('', `data nested deeper than ${MAX_DEPTH} levels, or inside itself,`);

const toPointer = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const className = (value: object): string => value.constructor?.name ?? 'an unknown class';
