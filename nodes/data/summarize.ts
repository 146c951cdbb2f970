import { sum } from '@hookloom/counted-jsonata/values';
import {
  closed,
  defineAction,
  type JsonObject,
  type JsonValue,
  orNull,
  type TSchema,
  Type,
} from '@hookloom/plugin-kit';
import {
  type FieldPath,
  fieldOfItem,
  itemsParameter,
  optionalField,
  PATH_FORM,
  parseFieldPath,
  readField,
  toValueKey,
} from './field-paths.ts';
import { compareValues } from './lists.ts';

/** A value of a group, with the place of its item in the list. */
interface Placed {
  readonly index: number;
  readonly value: JsonValue;
}

const operations = [
  'count',
  'countDistinct',
  'sum',
  'average',
  'median',
  'min',
  'max',
  'first',
  'last',
  'list',
  'distinct',
] as const;

type Operation = (typeof operations)[number];

const summarySchemas: Readonly<Record<Operation, (value: TSchema) => TSchema>> = {
  count: () => Type.Integer(),
  countDistinct: () => Type.Integer(),
  sum: () => Type.Number(),
  average: () => orNull(Type.Number()),
  median: () => orNull(Type.Number()),
  min: orNull,
  max: orNull,
  first: orNull,
  last: orNull,
  list: (value) => Type.Array(value),
  distinct: (value) => Type.Array(value),
};

/**
 * Computes one value of a group. Without values, a count and a sum are 0, lists are empty, and the others are null.
 *
 * @param name - of the value in the parameter `values`, for the error
 * @throws TypeError when a sum, an average or a median meets a value that is not a number
 */
const summaryOf = (operation: Operation, placed: readonly Placed[], name: string): JsonValue => {
  const values = placed.map(({ value }) => value);
  switch (operation) {
    case 'count':
      return values.length;
    case 'countDistinct':
      return distinctValues(values).length;
    case 'sum':
      return sum(numbersOf(placed, name));
    case 'average':
      return values.length === 0 ? null : sum(numbersOf(placed, name)) / values.length;
    case 'median':
      return median(numbersOf(placed, name));
    case 'min':
      return least(values, 1);
    case 'max':
      return least(values, -1);
    case 'first':
      return values[0] ?? null;
    case 'last':
      return values.at(-1) ?? null;
    case 'list':
      return values;
    case 'distinct':
      return distinctValues(values);
  }
};

const numbersOf = (placed: readonly Placed[], name: string): number[] =>
  placed.map(({ index, value }) => {
    if (typeof value === 'number') return value;
    throw new TypeError(
      `Parameter "items[${index}]" must have a number for "values.${name}", got ${typeof value}; convert it first, or count instead`,
    );
  });

const median = (numbers: readonly number[]): number | null => {
  const sorted = numbers.toSorted((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : lower + (upper - lower) / 2;
};

/** The first of the least values, in an order or its reverse. */
const least = (values: readonly JsonValue[], direction: 1 | -1): JsonValue =>
  values.reduce<JsonValue>(
    (found, value) => (found === null || direction * compareValues(value, found) < 0 ? value : found),
    null,
  );

const distinctValues = (values: readonly JsonValue[]): JsonValue[] => {
  const byKey = new Map<string, JsonValue>();
  for (const value of values) {
    const key = toValueKey(value);
    if (!byKey.has(key)) byKey.set(key, value);
  }
  return [...byKey.values()];
};

export const summarize = defineAction({
  id: 'summarize',
  name: 'Summarize',
  description:
    'Groups the items of a list, and computes counts, sums, averages and more for each group. Groups are in the order of their first items; null and absent values are ignored in the computation',
  pure: true,
  outputs: {
    main: ({ groupBy = {}, values }) => {
      const keys = Object.entries(groupBy as JsonObject).map(
        ([name, field]) => [name, orNull(fieldOfItem(field))] as const,
      );
      const computed = Object.entries(values as Readonly<Record<string, JsonObject>>).map(
        ([name, { operation, field }]) =>
          [name, summarySchemas[operation as Operation](fieldOfItem(field))] as const,
      );
      return closed({ items: Type.Array(closed(Object.fromEntries([...keys, ...computed]))) });
    },
  },
  parameters: Type.Object({
    items: itemsParameter,
    groupBy: Type.Record(Type.String(), Type.String({ minLength: 1, format: 'field-path' }), {
      default: {},
      description: `Names of output fields, and the fields to group by: ${PATH_FORM}. By default all items are one group`,
    }),
    values: Type.Record(
      Type.String(),
      Type.Object(
        {
          operation: Type.Enum(operations, {
            description:
              'count: items, or values if a field is given; countDistinct; sum, average and median of numbers; min and max, in the order of the node sort; first, last; list: all values; distinct: all different values',
          }),
          field: optionalField,
        },
        { additionalProperties: false },
      ),
      { description: 'Names of output fields, and how each is computed' },
    ),
  }),
  example: {
    parameters: {
      items: '{{ orders }}',
      groupBy: { country: 'address.country' },
      values: { orders: { operation: 'count' }, revenue: { operation: 'sum', field: 'total' } },
    },
    input: {
      orders: [
        { total: 5, address: { country: 'NO' } },
        { total: 7, address: { country: 'SE' } },
        { total: 2, address: { country: 'NO' } },
      ],
    },
    output: {
      items: [
        { country: 'NO', orders: 2, revenue: 7 },
        { country: 'SE', orders: 1, revenue: 7 },
      ],
    },
  },
  execute: ({ parameters: { items, groupBy, values } }) => {
    const keys = Object.entries(groupBy).map(([name, field]) => ({
      name,
      path: parseFieldPath(field, `groupBy.${name}`),
    }));
    const columns = Object.entries(values).map(([name, { operation, field }]): Column => {
      if (Object.hasOwn(groupBy, name))
        throw new RangeError(`Parameter "values.${name}" must have a name that "groupBy" does not have`);
      const path = field === undefined ? [] : parseFieldPath(field, `values.${name}.field`);
      return { name, operation, path };
    });
    return { items: groupItems(items, keys).map((group) => summariseGroup(group, columns)) };
  },
});

interface Column {
  readonly name: string;
  readonly operation: Operation;
  readonly path: FieldPath;
}

interface Group {
  /** Values of the fields that the group shares, by their names. */
  readonly fields: JsonObject;
  /** The group's items, with their places in the list. */
  readonly items: [index: number, item: JsonValue][];
}

const groupItems = (
  items: readonly JsonValue[],
  keys: readonly { readonly name: string; readonly path: FieldPath }[],
): Group[] => {
  if (keys.length === 0) return [{ fields: {}, items: [...items.entries()] }];
  const groups = new Map<string, Group>();
  for (const [index, item] of items.entries()) {
    const fields = keys.map(({ name, path }) => [name, readField(item, path) ?? null] as const);
    const key = fields.map(([, value]) => toValueKey(value)).join();
    const group = groups.get(key) ?? { fields: Object.fromEntries(fields), items: [] };
    group.items.push([index, item]);
    groups.set(key, group);
  }
  return [...groups.values()];
};

const summariseGroup = ({ fields, items }: Group, columns: readonly Column[]): JsonObject => {
  const computed = columns.map(({ name, operation, path }) => {
    const values = items.flatMap(([index, item]) => {
      const value = readField(item, path) ?? null;
      return value === null ? [] : [{ index, value }];
    });
    return [name, summaryOf(operation, values, name)] as const;
  });
  return { ...fields, ...Object.fromEntries(computed) };
};
