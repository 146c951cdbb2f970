import { defineAction, type JsonValue, Type, wrongParameter } from '@hookloom/plugin-kit';
import { type FieldPath, PATH_FORM, parseFieldPath, readField, writeField } from './field-path.ts';
import { itemsParameter, MAX_ITEMS } from './items.ts';

export const splitOut = defineAction({
  id: 'splitOut',
  name: 'Split out',
  description: 'Makes an item of each entry of a list within the items, such as of each line of each order',
  pure: true,
  parameters: Type.Object({
    items: itemsParameter,
    field: Type.String({
      minLength: 1,
      format: 'field-path',
      description: `The list within each item: ${PATH_FORM}. An item without it, or with null, gives none`,
    }),
    keepOthers: Type.Boolean({
      default: false,
      description: 'Put out the whole item with one entry in place of the list; otherwise the entry alone',
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
