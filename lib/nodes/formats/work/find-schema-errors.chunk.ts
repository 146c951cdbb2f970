import type { JsonObject, JsonValue } from '../../../contract/json.ts';
import { compileJsonSchema } from '../../../shared/json-schema/compile-json-schema.ts';

/**
 * Checks a value against a JSON Schema.
 *
 * @returns the first 100 errors, each with the place in the value as a JSON Pointer
 * @throws RangeError for a schema that can't be used, and when the value takes too many steps or is nested too deep
 */
export const findErrors = (schema: JsonObject, value: JsonValue): JsonObject[] =>
  compileJsonSchema(schema)(value).map(({ pointer, keyword, message }) => ({
    place: decodeURIComponent(pointer.slice(1)),
    keyword,
    message,
  }));
