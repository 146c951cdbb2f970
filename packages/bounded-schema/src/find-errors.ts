import { compileJsonSchema } from './compile-json-schema.ts';
import type { JsonMap } from './json-map.ts';

/** What a value violates: JSON itself, so that it can be a part of an answer. */
type SchemaError = {
  /** JSON Pointer (RFC 6901) to the place in the value. */
  readonly place: string;
  readonly keyword: string;
  readonly message: string;
};

/**
 * Checks a value against a JSON Schema.
 *
 * @returns the first 100 errors
 * @throws RangeError for a schema that can't be used, and when the value takes too many steps or is nested too deep
 */
export const findErrors = (schema: JsonMap, value: unknown): SchemaError[] =>
  compileJsonSchema(schema)(value).map(({ pointer, keyword, message }) => ({
    place: decodeURIComponent(pointer.slice(1)),
    keyword,
    message,
  }));
