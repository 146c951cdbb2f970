import { compileJsonSchema } from './compile-json-schema.ts';
import type { JsonMap } from './json-map.ts';

/** One violation by a value. It is plain JSON, so a response can include it. */
type SchemaError = {
  /** JSON Pointer (RFC 6901) to the invalid part of the value. */
  readonly place: string;
  readonly keyword: string;
  readonly message: string;
};

/**
 * Checks a value against a JSON Schema.
 *
 * @returns the first 100 errors
 * @throws RangeError when the schema is unusable, needs too many steps for the value, or the value is nested too deeply
 */
export const findErrors = (schema: JsonMap, value: unknown): SchemaError[] =>
  compileJsonSchema(schema)(value).map(({ pointer, keyword, message }) => ({
    place: decodeURIComponent(pointer.slice(1)),
    keyword,
    message,
  }));
