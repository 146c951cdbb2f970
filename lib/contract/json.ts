/** What JSON can carry (RFC 8259), and nothing else: no `undefined`, no `Date`, no `NaN`. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys are data: a key such as `__proto__` is an own property like any other. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Is this value a plain object, as opposed to an array, null, a primitive or an instance of a class? */
export const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
