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

/** The size and depth of frozen data, which never change. Shared by all measurers. */
const measured = new WeakMap<object, { readonly bytes: number; readonly height: number }>();

/** Returns the size of a value as JSON, in bytes. */
export type MeasureJson = (value: unknown) => number;

/**
 * Creates a function that checks that a value is plain JSON, freezes it deeply, and returns its approximate size as JSON
 * in bytes (text is counted by UTF-16 units). Frozen data is shared between nodes without a copy. Results are cached, so
 * that passing a large value through many nodes costs nothing.
 */
export const createMeasureJson = (): MeasureJson => {
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
      bytes += measureItem(list[index], index, depth) + 1;
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
      bytes += measureItem(map[key], key, depth) + key.length + 4;
      if (height > highest) highest = height;
    }
    height = highest + 1;
    return bytes;
  };

  const measureItem = (item: unknown, key: string | number, depth: number): number => {
    if (typeof item !== 'object' || item === null) {
      height = 0;
      return measurePrimitive(item, key);
    }
    path.push(key);
    const bytes = measureObject(item, depth + 1);
    path.pop();
    return bytes;
  };

  const measurePrimitive = (value: unknown, key?: string | number): number => {
    if (typeof value === 'string') return value.length + 2;
    if (Number.isFinite(value)) return String(value).length;
    if (typeof value === 'boolean') return 5;
    if (value === null) return 4;
    const found = typeof value === 'number' ? String(value) : typeof value;
    throw new NotJsonError(toPointer(key === undefined ? path : [...path, key]), found);
  };

  return (value) => {
    path.length = 0;
    return typeof value === 'object' && value !== null ? measureObject(value, 0) : measurePrimitive(value);
  };
};

const tooDeep = (): NotJsonError =>
  new NotJsonError('', `data nested deeper than ${MAX_DEPTH} levels, or inside itself,`);

const toPointer = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const className = (value: object): string => value.constructor?.name ?? 'an unknown class';
