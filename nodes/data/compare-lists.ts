import { closed, defineAction, type JsonObject, type JsonValue, Type } from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';
import { createReadKey, listOf, PATH_FORM, toValueKey } from './field-paths.ts';

export const compareLists = defineAction({
  id: 'compareLists',
  name: 'Compare lists',
  description:
    'Compares two lists: finds items that are only in one of them, equal items, and items with the same key that differ. If a key occurs several times, its items are paired in order',
  pure: true,
  outputs: {
    main: closed({
      onlyLeft: Given.parameter('left'),
      onlyRight: Given.parameter('right'),
      same: Given.parameter('left'),
      different: Type.Array(closed({ left: Given.itemOf('left'), right: Given.itemOf('right') })),
    }),
  },
  parameters: Type.Object({
    left: listOf('The first list, of up to 100,000 items'),
    right: listOf('The second list'),
    by: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: `The fields that identify an item. Each is ${PATH_FORM}. By default the whole item`,
    }),
  }),
  example: {
    parameters: { left: '{{ before }}', right: '{{ after }}', by: ['id'] },
    input: {
      before: [{ id: 1 }, { id: 2, name: 'b' }, { id: 3 }],
      after: [{ id: 2, name: 'B' }, { id: 3 }, { id: 4 }],
    },
    output: {
      onlyLeft: [{ id: 1 }],
      onlyRight: [{ id: 4 }],
      same: [{ id: 3 }],
      different: [{ left: { id: 2, name: 'b' }, right: { id: 2, name: 'B' } }],
    },
  },
  execute: ({ parameters: { left, right, by } }) => compareItems(left, right, createReadKey(by, 'by')),
});

const compareItems = (
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  readKey: (item: JsonValue) => string,
): JsonObject => {
  const waiting = groupIndexes(right, readKey);
  const onlyLeft: JsonValue[] = [];
  const same: JsonValue[] = [];
  const different: JsonObject[] = [];
  const paired = new Set<number>();
  for (const item of left) {
    const index = waiting.get(readKey(item))?.next().value;
    const partner = index === undefined ? undefined : right[index];
    if (index === undefined || partner === undefined) onlyLeft.push(item);
    else {
      paired.add(index);
      if (toValueKey(item) === toValueKey(partner)) same.push(item);
      else different.push({ left: item, right: partner });
    }
  }
  const onlyRight = right.filter((_item, index) => !paired.has(index));
  return { onlyLeft, onlyRight, same, different };
};

/** Returns, for each key, the indexes of the items that have it, one after the other. */
const groupIndexes = (
  items: readonly JsonValue[],
  readKey: (item: JsonValue) => string,
): Map<string, Iterator<number, undefined>> => {
  const groups = Map.groupBy(items.keys(), (index) => readKey(items[index] as JsonValue));
  return new Map([...groups].map(([key, indexes]) => [key, indexes.values()]));
};
