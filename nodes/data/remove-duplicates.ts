import { defineAction, type JsonValue, Type } from '@hookloom/plugin-kit';
import { PATH_FORM } from './field-path.ts';
import { itemsParameter } from './items.ts';
import { createReadKey } from './read-key.ts';

export const removeDuplicates = defineAction({
  id: 'removeDuplicates',
  name: 'Remove duplicates',
  description:
    'Keeps one item of those that are equal, in the order of the list. Compared as JSON: 1 and "1" differ, the order of keys does not matter',
  pure: true,
  parameters: Type.Object({
    items: itemsParameter,
    fields: Type.Array(Type.String({ minLength: 1, format: 'field-path' }), {
      default: [],
      description: `Items with the same values of these fields are equal. Each is ${PATH_FORM}. The whole item when there are none`,
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
  const byKey = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const key = readKey(item);
    if (keepsLast || !byKey.has(key)) byKey.set(key, index);
  }
  const kept = new Set(byKey.values());
  return items.filter((_item, index) => kept.has(index));
};
