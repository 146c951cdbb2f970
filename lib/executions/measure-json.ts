import { isPlainObject } from '../contract/json.ts';

/** What JSON can't carry, and where: a JSON pointer (RFC 6901), `` for the value itself. */
export class NotJsonError extends Error {
  constructor(pointer: string, found: string) {
    super(`${found} at ${pointer === '' ? 'the top' : pointer} can't be carried by JSON`);
    this.name = 'NotJsonError';
  }
}

/** As deep as data may be nested: far beyond what people make, and within what `JSON.stringify` can take. */
const MAX_DEPTH = 1_000;

/** Bytes. Looking at what is smaller again is as quick as looking it up, and a body can hold millions of such. */
const WORTH_REMEMBERING = 256;

export type MeasureJson = (value: unknown) => number;

/**
 * Makes a function that checks that a value is plain JSON, freezes it deeply, and tells its size as JSON in bytes
 * (approximately: text is counted by UTF-16 units). Frozen data can be handed on without a copy: a node that
 * changed its input would change what its neighbours see. What was checked once is not looked at again, so that
 * passing a large value through many nodes costs nothing.
 */
export const createMeasureJson = (): MeasureJson => {
  const known = new WeakMap<object, number>();

  const measure = (value: unknown, pointer: string, depth: number): number => {
    switch (typeof value) {
      case 'string':
        return value.length + 2;
      case 'boolean':
        return 5;
      case 'number':
        if (!Number.isFinite(value)) throw new NotJsonError(pointer, String(value));
        return String(value).length;
      case 'object':
        return value === null ? 4 : measureObject(value, pointer, depth);
      default:
        throw new NotJsonError(pointer, typeof value);
    }
  };

  const measureObject = (value: object, pointer: string, depth: number): number => {
    const before = known.get(value);
    if (before !== undefined) return before;
    if (depth >= MAX_DEPTH)
      throw new NotJsonError('', `something nested deeper than ${MAX_DEPTH} levels, or in itself,`);
    const isArray = Array.isArray(value);
    if (!isArray && !isPlainObject(value))
      throw new NotJsonError(pointer, `an instance of ${className(value)}`);
    let bytes = 2;
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key];
      bytes += measure(item, `${pointer}/${key}`, depth + 1) + (isArray ? 1 : key.length + 4);
    }
    Object.freeze(value);
    if (bytes >= WORTH_REMEMBERING) known.set(value, bytes);
    return bytes;
  };

  return (value) => measure(value, '', 0);
};

const className = (value: object): string => value.constructor?.name ?? 'an unknown class';
