import { defineAction, Type } from '@hookloom/plugin-kit';
import { itemsParameter, MAX_ITEMS } from './items.ts';

export const limit = defineAction({
  id: 'limit',
  name: 'Limit',
  description: 'Takes a number of items from the start or the end of a list',
  pure: true,
  parameters: Type.Object({
    items: itemsParameter,
    count: Type.Integer({ minimum: 0, maximum: MAX_ITEMS, description: 'How many items at most' }),
    from: Type.Enum(['start', 'end'], {
      default: 'start',
      description: 'Which end of the list to take them from',
    }),
    skip: Type.Integer({
      minimum: 0,
      maximum: MAX_ITEMS,
      default: 0,
      description: 'How many items to leave out first, counted from the same end',
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
