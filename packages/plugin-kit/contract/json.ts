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
