import { isJsonMap, type JsonObject, type JsonValue, Type, wrongParameter } from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

/** The keys that lead to a value inside another one; empty for the value itself. */
export type FieldPath = readonly string[];

/** How descriptions of parameters explain a path. */
export const PATH_FORM =
  'a path such as address.city or lines.0.sku; a key that contains a dot needs a JSON Pointer (RFC 6901), such as /a.b/c';

/**
 * Parses a path: a JSON Pointer if it begins with `/`, or else keys and list indexes separated by dots.
 * @param place - the parameter, for the error
 * @throws RangeError if a key is empty, or a `~` in a pointer is not an escape
 */
export const parseFieldPath = (text: string, place: string): FieldPath => {
  const isPointer = text.startsWith('/');
  const keys = isPointer ? text.slice(1).split('/') : text.split('.');
  const isValid = isPointer ? keys.every((key) => !/~(?![01])/.test(key)) : keys.every((key) => key !== '');
  if (!isValid) throw new RangeError(`Parameter "${place}" must be ${PATH_FORM}`);
  return isPointer ? keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')) : keys;
};

/**
 * The value at a path; undefined if there is none. Reads only own keys, so that `__proto__` is a key like any other.
 */
export const readField = (value: JsonValue | undefined, path: FieldPath): JsonValue | undefined => {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !hasKey(found, key)) return undefined;
    found = (found as JsonObject)[key];
  }
  return found;
};

/** Whether a value has an own key: a list has its indexes, and no `length`. */
const hasKey = (value: object, key: string): boolean =>
  Object.hasOwn(value, key) && (!Array.isArray(value) || key !== 'length');

/**
 * A copy with another value at a path; missing maps along the path are created.
 * @throws RangeError if the path leads through something that is not a map, or an item that a list does not have
 */
export const writeField = (value: JsonValue | undefined, path: FieldPath, field: JsonValue): JsonValue => {
  const [key, ...rest] = path;
  if (key === undefined) return field;
  if (Array.isArray(value) && hasKey(value, key))
    return value.with(Number(key), writeField(value[Number(key)], rest, field));
  if (value !== undefined && !isJsonMap(value))
    throw new RangeError(`the path ${toPointer(path)} leads through a value that is not a map`);
  // A computed key defines an own property, also for the key __proto__.
  return { ...value, [key]: writeField(readField(value, [key]), rest, field) };
};

/** A copy without the value at a path; list items after a removed one move up. */
export const removeField = (value: JsonValue, path: FieldPath): JsonValue => {
  const [key, ...rest] = path;
  if (key === undefined || readField(value, path) === undefined) return value;
  const child = rest.length === 0 ? undefined : removeField(readField(value, [key]) as JsonValue, rest);
  if (Array.isArray(value))
    return child === undefined ? value.toSpliced(Number(key), 1) : value.with(Number(key), child);
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(
    child === undefined
      ? entries.filter(([name]) => name !== key)
      : entries.map(([name, old]) => [name, name === key ? child : old]),
  );
};

export const toPointer = (path: FieldPath): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The keys of a path in a stored parameter; null if it is an expression, or no path. */
export const readLiteralPath = (field: JsonValue | undefined): FieldPath | null => {
  if (typeof field !== 'string' || field.includes('{{')) return null;
  try {
    return parseFieldPath(field, 'field');
  } catch {
    return null;
  }
};

/** The schema of a field of the parameter `items`, as a stored parameter names it; of the item itself if there is none. */
export const fieldOfItem = (field: JsonValue | undefined) => {
  const keys = field === undefined ? [] : readLiteralPath(field);
  return keys === null ? Type.Unknown() : Given.itemOf('items', ...keys);
};

/** How many items a list may have. */
export const MAX_ITEMS = 100_000;

/** A list of any items, as a parameter. */
export const listOf = (description: string) =>
  Type.Array(Type.Unknown(), { maxItems: MAX_ITEMS, description });

/** The parameter of every node that works on one list. */
export const itemsParameter = listOf(
  'The list, of up to 100,000 items; usually an expression such as {{ body.orders }}',
);

/**
 * Compiles paths to a function that returns the same result for items with equal values at all of the paths. An absent
 * value equals only another absent one.
 * @param fields - paths; none for the item itself
 * @param place - the parameter, for the error
 * @throws RangeError for an invalid path
 */
export const createReadKey = (fields: readonly string[], place: string): ((item: JsonValue) => string) => {
  const paths = fields.map((field, index) => parseFieldPath(field, `${place}[${index}]`));
  return paths.length === 0
    ? toValueKey
    : (item) => paths.map((path) => toValueKey(readField(item, path))).join();
};

/** Whether a key of {@link createReadKey} is the one of an item with none of the fields. */
export const isWithoutFields = (key: string): boolean => /^,*$/.test(key);

/** The field of an item that a row of a parameter names. */
export const optionalField = Type.Optional(
  Type.String({
    minLength: 1,
    format: 'field-path',
    description: `The field: ${PATH_FORM}. By default the item itself`,
  }),
);

/** The parameter of nodes that change one map or many. */
export const optionalItems = Type.Optional(
  listOf('A list of up to 100,000 maps; by default the input itself is changed'),
);

/**
 * Changes the input, or each item of the list if there is one.
 * @returns the changed input, or `{ items }`
 * @throws TypeError when an item is not a map
 */
export const overMaps = (
  items: readonly JsonValue[] | undefined,
  input: JsonObject,
  change: (map: JsonObject, place: string) => JsonObject,
): JsonObject => {
  if (items === undefined) return change(input, 'the input');
  return {
    items: items.map((item, index) => {
      if (!isJsonMap(item)) throw wrongParameter(`items[${index}]`, 'a map', item);
      return change(item, `items[${index}]`);
    }),
  };
};

/**
 * Returns a string that is the same for two values that are equal as JSON: 1 and "1" differ, the order of keys does not
 * matter.
 */
export const toValueKey = (value: JsonValue | undefined): string => {
  if (value === undefined) return '';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toValueKey).join()}]`;
  const entries = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${toValueKey(field)}`);
  return `{${entries.sort().join()}}`;
};
