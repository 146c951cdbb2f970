/** A JSON value (RFC 8259): no `undefined`, no `Date`, no `NaN`. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys are data: a key such as `__proto__` is an own property like any other. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is a plain object: not an array, null, a primitive or an instance of a class. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Whether two JSON values are equal: arrays by position, objects by their own keys in any order. */
export const jsonEquals = (left: JsonValue, right: JsonValue): boolean => {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    return Array.isArray(left) && Array.isArray(right) && arraysEqual(left, right);
  }
  const leftEntries = Object.entries(left);
  const rightEntries = new Map<string, JsonValue>(Object.entries(right));
  return (
    leftEntries.length === rightEntries.size &&
    leftEntries.every(([key, value]) => {
      const other = rightEntries.get(key);
      return other !== undefined && jsonEquals(value, other);
    })
  );
};

const arraysEqual = (left: readonly JsonValue[], right: readonly JsonValue[]): boolean =>
  left.length === right.length &&
  left.every((value, index) => {
    const other = right[index];
    return other !== undefined && jsonEquals(value, other);
  });
