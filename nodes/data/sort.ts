import { defineAction, type JsonValue, Type } from '@hookloom/plugin-kit';
import { type FieldPath, PATH_FORM, parseFieldPath, readField } from './field-path.ts';
import { itemsParameter } from './items.ts';
import { compareValues } from './order.ts';

interface SortKey {
  readonly path: FieldPath;
  readonly isDescending: boolean;
  readonly ignoresCase: boolean;
}

export const sort = defineAction({
  id: 'sort',
  name: 'Sort',
  description:
    'Sorts a list by one or several fields. Stable. Values of mixed types have a fixed order: numbers, strings by UTF-16 units, false, true, lists, maps; null and absent ones are last in either direction',
  pure: true,
  parameters: Type.Object({
    items: itemsParameter,
    by: Type.Array(
      Type.Object(
        {
          field: Type.Optional(
            Type.String({
              minLength: 1,
              format: 'field-path',
              description: `The field: ${PATH_FORM}. The item itself when absent`,
            }),
          ),
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
        description: 'The first field decides; the next ones decide where it is equal',
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
