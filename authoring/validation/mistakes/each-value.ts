import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import { toPointerKey } from '../../../lib/shared/describe.ts';

/** A value in a node's parameters and what its schema declares about it. */
export interface DeclaredValue {
  readonly value: JsonValue;
  readonly path: string;
  /** The key in the object around it; for an item, the key of its list. */
  readonly name: string;
  /** `mailbox`, `field-path`, `json-schema`, …; `url` for a pattern that requires http or https. */
  readonly format: string | null;
}

/** Every value that a schema declares, except through `$ref` and alternatives. */
export function* eachValue(
  schema: unknown,
  value: JsonValue | undefined,
  path: string,
  name = '',
): Generator<DeclaredValue> {
  if (!isPlainObject(schema) || value === undefined || value === null) return;
  yield { value, path, name, format: formatOf(schema) };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* eachValue(schema.items, item, `${path}/${index}`, name);
  } else if (isPlainObject(value)) {
    const properties = isPlainObject(schema.properties) ? schema.properties : {};
    for (const [key, item] of Object.entries(value)) {
      const own = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
      yield* eachValue(own, item as JsonValue, `${path}/${toPointerKey(key)}`, key);
    }
  }
}

const formatOf = ({ format, pattern }: Readonly<Record<string, unknown>>): string | null => {
  if (typeof format === 'string') return format;
  return typeof pattern === 'string' && pattern.startsWith('^https?://') ? 'url' : null;
};
