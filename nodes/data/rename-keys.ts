import { defineAction, type JsonObject, Type } from '@hookloom/plugin-kit';
import {
  type FieldPath,
  PATH_FORM,
  parseFieldPath,
  readField,
  removeField,
  toPointer,
  writeField,
} from './field-path.ts';
import { optionalItems, overMaps } from './over-maps.ts';

interface Rename {
  readonly from: FieldPath;
  readonly to: FieldPath;
}

export const renameKeys = defineAction({
  id: 'renameKeys',
  name: 'Rename keys',
  description:
    'Renames or moves fields of the input, or of each item of a list. All at once, so that two can swap',
  pure: true,
  parameters: Type.Object({
    items: optionalItems,
    names: Type.Record(Type.String(), Type.String({ minLength: 1 }), {
      description: `Old fields and new ones; absent ones are passed over. Each is ${PATH_FORM}`,
    }),
  }),
  example: {
    parameters: { names: { first_name: 'name.first', last_name: 'name.last' } },
    input: { id: 1, first_name: 'Ada', last_name: 'Lovelace' },
    output: { id: 1, name: { first: 'Ada', last: 'Lovelace' } },
  },
  execute: ({ parameters: { items, names }, input }) => {
    const renames = Object.entries(names).map(([from, to]) => ({
      from: parseFieldPath(from, 'names'),
      to: parseFieldPath(to, `names.${from}`),
    }));
    return overMaps(items, input, (map, place) => renameFields(map, renames, place));
  },
});

const renameFields = (map: JsonObject, renames: readonly Rename[], place: string): JsonObject => {
  const found = renames.flatMap(({ from, to }) => {
    const value = readField(map, from);
    return value === undefined ? [] : [{ from, to, value }];
  });
  const rest = found.reduce<JsonObject>((left, { from }) => removeField(left, from) as JsonObject, map);
  return found.reduce<JsonObject>((renamed, { from, to, value }) => {
    if (readField(renamed, to) !== undefined)
      throw new RangeError(
        `Parameter "names" renames ${toPointer(from)} of ${place} to ${toPointer(to)}, which exists`,
      );
    return writeField(renamed, to, value) as JsonObject;
  }, rest);
};
