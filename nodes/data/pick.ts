import { defineAction, type JsonObject, Type } from '@hookloom/plugin-kit';
import {
  type FieldPath,
  PATH_FORM,
  parseFieldPath,
  readField,
  removeField,
  writeField,
} from './field-path.ts';
import { optionalItems, overMaps } from './over-maps.ts';

export const pick = defineAction({
  id: 'pick',
  name: 'Pick',
  description: 'Keeps some fields of the input, or of each item of a list, or removes them',
  pure: true,
  parameters: Type.Object({
    items: optionalItems,
    fields: Type.Array(Type.String({ minLength: 1 }), {
      description: `The fields; absent ones are passed over. Each is ${PATH_FORM}`,
    }),
    mode: Type.Enum(['keep', 'remove'], {
      default: 'keep',
      description: 'keep: these fields and no others; remove: all but these',
    }),
  }),
  example: {
    parameters: { fields: ['id', 'address.city'] },
    input: { id: 1, name: 'Ada', address: { city: 'Oslo', street: 'Storgata 1' } },
    output: { id: 1, address: { city: 'Oslo' } },
  },
  execute: ({ parameters: { items, fields, mode }, input }) => {
    const paths = fields.map((field, index) => parseFieldPath(field, `fields[${index}]`));
    const change = mode === 'keep' ? keepFields : removeFields;
    return overMaps(items, input, (map) => change(map, paths));
  },
});

/** Maps on the way to a field are kept with that field alone; a list on the way becomes a map of its indexes. */
const keepFields = (map: JsonObject, paths: readonly FieldPath[]): JsonObject =>
  paths.reduce<JsonObject>((kept, path) => {
    const value = readField(map, path);
    return value === undefined ? kept : (writeField(kept, path, value) as JsonObject);
  }, {});

const removeFields = (map: JsonObject, paths: readonly FieldPath[]): JsonObject =>
  paths.reduce<JsonObject>((rest, path) => removeField(rest, path) as JsonObject, map);
