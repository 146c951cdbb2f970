import { isPlainObject } from '../contract/json.ts';

/** What JSON can't carry, and where: a JSON pointer (RFC 6901), `` for the value itself. */
class NotJsonError extends Error {
  constructor(pointer: string, found: string) {
    super(`${found} at ${pointer === '' ? 'the top' : pointer} can't be carried by JSON`);
    this.name = 'NotJsonError';
  }
}

/** As deep as data may be nested: far beyond what people make, and within what `JSON.stringify` can take. */
const MAX_DEPTH = 1_000;

/** Bytes. Looking at what is smaller again is as quick as looking it up, and a body can hold millions of such. */
const WORTH_REMEMBERING = 256;

/** Size and levels of nesting of frozen data, which never changes: whatever measured it, it is not walked again. */
const known = new WeakMap<object, { readonly bytes: number; readonly height: number }>();

/** Bytes. */
export type MeasureJson = (value: unknown) => number;

/**
 * Makes a function that checks that a value is plain JSON, freezes it deeply, and tells its size as JSON in bytes
 * (approximately: text is counted by UTF-16 units). Frozen data can be handed on without a copy: a node that
 * changed its input would change what its neighbours see. What was checked once is not looked at again, so that
 * passing a large value through many nodes costs nothing.
 */
export const createMeasureJson = (): MeasureJson => {
  /** The way to what is being looked at; left as it is by an error, which tells it. */
  const path: (string | number)[] = [];
  /** Levels of nesting of the list or map that was looked at last, its own included. */
  let height = 0;

  const measureObject = (value: object, depth: number): number => {
    const before = known.get(value);
    // What is known counts with all its levels: nodes that wrap their input, one after the other, build a tower.
    if (depth + (before?.height ?? 1) > MAX_DEPTH) throw tooDeep();
    if (before !== undefined) {
      height = before.height;
      return before.bytes;
    }
    const bytes = Array.isArray(value) ? measureList(value, depth) : measureMap(value, depth);
    Object.freeze(value);
    if (bytes >= WORTH_REMEMBERING) known.set(value, { bytes, height });
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
    if (typeof value === 'number' && Number.isFinite(value)) return String(value).length;
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
  new NotJsonError('', `something nested deeper than ${MAX_DEPTH} levels, or in itself,`);

const toPointer = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const className = (value: object): string => value.constructor?.name ?? 'an unknown class';
