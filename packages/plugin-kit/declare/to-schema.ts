import { isPlainObject, type JsonObject, type JsonValue } from '../contract/json.ts';

/**
 * The schema with which the service validates workflows. In a declaration, a property with a default is required, so
 * that its type excludes `undefined`; in a workflow it may be absent. No other parameters are allowed.
 */
export const toSchema = (declared: object): JsonObject => ({
  ...(relaxSchema(declared as JsonObject) as JsonObject),
  additionalProperties: false,
});

const relaxSchema = (schema: JsonValue): JsonValue => {
  if (!isPlainObject(schema)) return schema;
  const { properties, required, items, additionalProperties, anyOf } = schema as JsonObject;
  const relaxed: Record<string, JsonValue> = { ...(schema as JsonObject) };
  if (isPlainObject(properties)) {
    const entries = Object.entries(properties as JsonObject);
    relaxed.properties = Object.fromEntries(entries.map(([name, property]) => [name, relaxSchema(property)]));
    if (Array.isArray(required)) {
      const defaults = new Set(entries.filter(([, property]) => hasDefault(property)).map(([name]) => name));
      relaxed.required = required.filter((name) => !defaults.has(String(name)));
    }
  }
  if (items !== undefined) relaxed.items = relaxSchema(items);
  if (additionalProperties !== undefined) relaxed.additionalProperties = relaxSchema(additionalProperties);
  if (Array.isArray(anyOf)) relaxed.anyOf = anyOf.map(relaxSchema);
  return relaxed;
};

const hasDefault = (schema: JsonValue): boolean => isPlainObject(schema) && schema.default !== undefined;
