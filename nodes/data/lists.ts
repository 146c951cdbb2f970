import {
  closed,
  defineAction,
  type JsonObject,
  type JsonValue,
  orNull,
  Type,
  wrongParameter,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';
import {
  createReadKey,
  type FieldPath,
  fieldOfItem,
  isWithoutFields,
  itemsParameter,
  MAX_ITEMS,
  optionalField,
  PATH_FORM,
  parseFieldPath,
  readField,
  readLiteralPath,
  toValueKey,
  writeField,
} from './field-paths.ts';

export const removeDuplicates = defineAction({
  id: 'removeDuplicates',
  name: 'Remove duplicates',
  description:
    'Removes duplicates from a list, keeping its order. Items are compared as JSON: 1 and "1" differ, the order of keys does not matter',
  pure: true,
  outputs: { main: closed({ items: Given.parameter('items'), removed: Type.Integer() }) },
  parameters: Type.Object({
    items: itemsParameter,
    fields: Type.Array(Type.String({ minLength: 1, format: 'field-path' }), {
      default: [],
      description: `Items with the same values in these fields are equal; an item with none of them is kept. Each is ${PATH_FORM}. By default the whole item`,
    }),
    keep: Type.Enum(['first', 'last'], { default: 'first', description: 'Which of equal items to keep' }),
  }),
  example: {
    parameters: { items: '{{ visits }}', fields: ['user'] },
    input: {
      visits: [
        { user: 'ada', page: 1 },
        { user: 'bob', page: 1 },
        { user: 'ada', page: 2 },
      ],
    },
    output: {
      items: [
        { user: 'ada', page: 1 },
        { user: 'bob', page: 1 },
      ],
      removed: 1,
    },
  },
  execute: ({ parameters: { items, fields, keep } }) => {
    const kept = keepDistinct(items, createReadKey(fields, 'fields'), keep === 'last');
    return { items: kept, removed: items.length - kept.length };
  },
});

const keepDistinct = (
  items: readonly JsonValue[],
  readKey: (item: JsonValue) => string,
  keepsLast: boolean,
): readonly JsonValue[] => {
  const byKey = new Map<string | number, number>();
  for (const [index, item] of items.entries()) {
    const read = readKey(item);
    // What has no key is equal to nothing.
    const key = isWithoutFields(read) ? index : read;
    if (keepsLast || !byKey.has(key)) byKey.set(key, index);
  }
  const kept = new Set(byKey.values());
  return items.filter((_item, index) => kept.has(index));
};

/** An entry of the list at a field of the items. */
const entryOf = (field: JsonValue | undefined) => {
  const keys = readLiteralPath(field);
  return keys === null ? Type.Unknown() : Given.entryOf('items', ...keys);
};

export const splitOut = defineAction({
  id: 'splitOut',
  name: 'Split out',
  description:
    'Makes each entry of a list inside the items an item of its own, such as each line of each order',
  pure: true,
  outputs: {
    main: ({ field, keepOthers = false }) =>
      closed({ items: Type.Array(keepOthers === false ? entryOf(field) : Type.Unknown()) }),
  },
  parameters: Type.Object({
    items: itemsParameter,
    field: Type.String({
      minLength: 1,
      format: 'field-path',
      description: `The list inside each item: ${PATH_FORM}. An item without it, or with null, has no entries`,
    }),
    keepOthers: Type.Boolean({
      default: false,
      description: 'Output the whole item with one entry in place of the list, instead of only the entry',
    }),
  }),
  example: {
    parameters: { items: '{{ orders }}', field: 'lines', keepOthers: true },
    input: { orders: [{ id: 1, lines: ['tea', 'milk'] }, { id: 2 }] },
    output: {
      items: [
        { id: 1, lines: 'tea' },
        { id: 1, lines: 'milk' },
      ],
    },
  },
  execute: ({ parameters: { items, field, keepOthers } }) => ({
    items: splitItems(items, parseFieldPath(field, 'field'), keepOthers),
  }),
});

const splitItems = (items: readonly JsonValue[], path: FieldPath, keepOthers: boolean): JsonValue[] => {
  const split: JsonValue[] = [];
  for (const [index, item] of items.entries()) {
    const entries = readField(item, path) ?? [];
    if (!Array.isArray(entries))
      throw wrongParameter(`items[${index}]`, 'an item with a list at "field"', entries);
    if (split.length + entries.length > MAX_ITEMS)
      throw new RangeError(`Parameter "items[${index}]" has more entries than fit: ${MAX_ITEMS} in all`);
    for (const entry of entries) split.push(keepOthers ? writeField(item, path, entry) : entry);
  }
  return split;
};

export const aggregate = defineAction({
  id: 'aggregate',
  name: 'Aggregate',
  description: 'Gathers fields of all items: one list for each field, in the order of the items',
  pure: true,
  outputs: {
    main: ({ fields, omitMissing = false }) => {
      const columns = Object.entries(fields as JsonObject).map(([name, field]) => {
        const value = fieldOfItem(field);
        return [name, Type.Array(omitMissing === true ? value : orNull(value))] as const;
      });
      return closed(Object.fromEntries(columns));
    },
  },
  parameters: Type.Object({
    items: itemsParameter,
    fields: Type.Record(Type.String(), Type.String({ minLength: 1, format: 'field-path' }), {
      description: `For each output list, its name and the field that it collects: ${PATH_FORM}`,
    }),
    omitMissing: Type.Boolean({
      default: false,
      description:
        'Leave out absent values; otherwise they become null, so that all lists have the same length',
    }),
  }),
  example: {
    parameters: { items: '{{ orders }}', fields: { ids: 'id', cities: 'address.city' } },
    input: { orders: [{ id: 1, address: { city: 'Oslo' } }, { id: 2 }] },
    output: { ids: [1, 2], cities: ['Oslo', null] },
  },
  execute: ({ parameters: { items, fields, omitMissing } }) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const path = parseFieldPath(field, `fields.${name}`);
        const values = items.map((item) => readField(item, path));
        return [name, omitMissing ? values.filter(isPresent) : values.map((value = null) => value)];
      }),
    ),
});

const isPresent = (value: JsonValue | undefined): value is JsonValue => value !== undefined;

export const limit = defineAction({
  id: 'limit',
  name: 'Limit',
  description: 'Takes a number of items from the start or the end of a list',
  pure: true,
  outputs: { main: closed({ items: Given.parameter('items') }) },
  parameters: Type.Object({
    items: itemsParameter,
    count: Type.Integer({ minimum: 0, maximum: MAX_ITEMS, description: 'Maximum number of items' }),
    from: Type.Enum(['start', 'end'], {
      default: 'start',
      description: 'Which end of the list to take them from',
    }),
    skip: Type.Integer({
      minimum: 0,
      maximum: MAX_ITEMS,
      default: 0,
      description: 'How many items to skip first, counted from the same end',
    }),
  }),
  example: {
    parameters: { items: '{{ orders }}', count: 2 },
    input: { orders: [1, 2, 3] },
    output: { items: [1, 2] },
  },
  execute: ({ parameters: { items, count, from, skip } }) => {
    const end = items.length - skip;
    return {
      items:
        from === 'start'
          ? items.slice(skip, skip + count)
          : items.slice(Math.max(0, end - count), Math.max(0, end)),
    };
  },
});

export const batch = defineAction({
  id: 'batch',
  name: 'Batch',
  description: 'Divides a list into lists of limited length, for instance for forEach',
  pure: true,
  outputs: { main: closed({ batches: Type.Array(Given.parameter('items')) }) },
  parameters: Type.Object({
    items: itemsParameter,
    size: Type.Integer({
      minimum: 1,
      maximum: MAX_ITEMS,
      description: 'Items per batch; the last may have fewer',
    }),
  }),
  example: {
    parameters: { items: '{{ orders }}', size: 2 },
    input: { orders: [1, 2, 3] },
    output: { batches: [[1, 2], [3]] },
  },
  execute: ({ parameters: { items, size } }) => ({
    batches: Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
      items.slice(index * size, (index + 1) * size),
    ),
  }),
});

const ranks: Readonly<Record<string, number>> = { number: 0, string: 1, boolean: 2 };
const LIST = 3;
const MAP = 4;

const rankOf = (value: JsonValue): number => (Array.isArray(value) ? LIST : (ranks[typeof value] ?? MAP));

/**
 * Compares any two JSON values: numbers, then strings by UTF-16 units, `false`, `true`, lists item by item, maps by
 * their JSON with sorted keys. It does not depend on a locale, so it is the same everywhere.
 * @returns a number below, equal to or above 0, as for `Array.sort`
 */
export const compareValues = (left: JsonValue, right: JsonValue): number => {
  const rank = rankOf(left);
  const difference = rank - rankOf(right);
  if (difference !== 0) return difference;
  if (rank === LIST) return compareLists(left as readonly JsonValue[], right as readonly JsonValue[]);
  return rank === MAP
    ? comparePrimitives(toValueKey(left), toValueKey(right))
    : comparePrimitives(left, right);
};

const comparePrimitives = (left: JsonValue, right: JsonValue): number => {
  if (left === right) return 0;
  return (left as string) < (right as string) ? -1 : 1;
};

const compareLists = (left: readonly JsonValue[], right: readonly JsonValue[]): number => {
  for (const [index, item] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareValues(item, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
};

interface SortKey {
  readonly path: FieldPath;
  readonly isDescending: boolean;
  readonly ignoresCase: boolean;
}

export const sort = defineAction({
  id: 'sort',
  name: 'Sort',
  description:
    'Sorts a list by one or several fields. The sort is stable. Values of mixed types have a fixed order: numbers, strings by UTF-16 units, false, true, lists, maps; null and absent values come last in either direction',
  pure: true,
  outputs: { main: closed({ items: Given.parameter('items') }) },
  parameters: Type.Object({
    items: itemsParameter,
    by: Type.Array(
      Type.Object(
        {
          field: optionalField,
          direction: Type.Enum(['ascending', 'descending'], {
            default: 'ascending',
            description: 'The order of this field',
          }),
          ignoreCase: Type.Boolean({
            default: false,
            description: 'Compare text in lower case, by Unicode and not by a locale',
          }),
        },
        { additionalProperties: false },
      ),
      {
        default: [{}],
        maxItems: 10,
        description: 'The first field decides; the next ones decide between equal values',
      },
    ),
  }),
  example: {
    parameters: { items: '{{ orders }}', by: [{ field: 'total', direction: 'descending' }, { field: 'id' }] },
    input: {
      orders: [
        { id: 'b', total: 5 },
        { id: 'a', total: 5 },
        { id: 'c', total: 9 },
      ],
    },
    output: {
      items: [
        { id: 'c', total: 9 },
        { id: 'a', total: 5 },
        { id: 'b', total: 5 },
      ],
    },
  },
  execute: ({ parameters: { items, by } }) => ({
    items: sortItems(
      items,
      by.map(({ field, direction, ignoreCase }, index) => ({
        path: field === undefined ? [] : parseFieldPath(field, `by[${index}].field`),
        isDescending: direction === 'descending',
        ignoresCase: ignoreCase,
      })),
    ),
  }),
});

/** Reads each key once, then sorts the indexes: `toSorted` is stable. */
const sortItems = (items: readonly JsonValue[], keys: readonly SortKey[]): JsonValue[] => {
  const columns = keys.map((key) => ({ key, values: items.map((item) => readKey(item, key)) }));
  const compare = (left: number, right: number): number => {
    for (const { key, values } of columns) {
      const order = compareKeys(values[left] ?? null, values[right] ?? null, key.isDescending);
      if (order !== 0) return order;
    }
    return 0;
  };
  return [...items.keys()].sort(compare).map((index) => items[index] as JsonValue);
};

const readKey = (item: JsonValue, { path, ignoresCase }: SortKey): JsonValue => {
  const value = readField(item, path) ?? null;
  return ignoresCase && typeof value === 'string' ? value.toLowerCase() : value;
};

const compareKeys = (left: JsonValue, right: JsonValue, isDescending: boolean): number => {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const order = compareValues(left, right);
  return isDescending ? -order : order;
};
