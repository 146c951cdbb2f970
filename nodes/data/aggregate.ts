import { defineAction, type JsonValue, Type } from '@hookloom/plugin-kit';
import { PATH_FORM, parseFieldPath, readField } from './field-path.ts';
import { itemsParameter } from './items.ts';

export const aggregate = defineAction({
  id: 'aggregate',
  name: 'Aggregate',
  description: 'Gathers fields of all items: one list for each field, in the order of the items',
  pure: true,
  parameters: Type.Object({
    items: itemsParameter,
    fields: Type.Record(Type.String(), Type.String({ minLength: 1, format: 'field-path' }), {
      description: `For each list to put out, its name and the field that it is made of: ${PATH_FORM}`,
    }),
    omitMissing: Type.Boolean({
      default: false,
      description: 'Leave out absent values; otherwise each is null, so that the lists have the same length',
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
