import { defineAction, Type } from '@hookloom/plugin-kit';
import { itemsParameter, MAX_ITEMS } from './items.ts';

export const batch = defineAction({
  id: 'batch',
  name: 'Batch',
  description: 'Divides a list into lists of at most a number of items, for instance for forEach',
  pure: true,
  parameters: Type.Object({
    items: itemsParameter,
    size: Type.Integer({
      minimum: 1,
      maximum: MAX_ITEMS,
      description: 'Items of a batch; the last may have fewer',
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
