import {
  closed,
  defineAction,
  type JsonObject,
  type JsonValue,
  type TSchema,
  Type,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';
import {
  type FieldPath,
  optionalItems,
  overMaps,
  PATH_FORM,
  parseFieldPath,
  readField,
  readLiteralPath,
  removeField,
  toPointer,
  writeField,
} from './field-paths.ts';

/** What a node delivers that changes the input, or each item of a list. */
const changedSchema = (items: JsonValue | undefined, changed: TSchema = Type.Object({})) =>
  items === undefined ? changed : closed({ items: Type.Array(changed) });

export const pick = defineAction({
  id: 'pick',
  name: 'Pick',
  description: 'Keeps or removes fields of the input, or of each item of a list',
  pure: true,
  outputs: {
    main: ({ items, fields, mode = 'keep' }) => {
      if (mode !== 'keep' || !Array.isArray(fields)) return changedSchema(items);
      const paths = fields.map(readLiteralPath);
      if (paths.includes(null)) return changedSchema(items);
      const kept = paths.map((path) => {
        const [key = '', ...inner] = path ?? [];
        const field = items === undefined ? Given.field(key) : Given.itemOf('items', key);
        return [key, Type.Optional(inner.length === 0 ? field : Type.Unknown())] as const;
      });
      return changedSchema(items, closed(Object.fromEntries(kept)));
    },
  },
  parameters: Type.Object({
    items: optionalItems,
    fields: Type.Array(Type.String({ minLength: 1 }), {
      description: `The fields; absent ones are ignored. Each is ${PATH_FORM}`,
    }),
    mode: Type.Enum(['keep', 'remove'], {
      default: 'keep',
      description: 'keep: only these fields; remove: all but these',
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

/** Maps along the path to a field are kept with only that field; a list along the path becomes a map of its indexes. */
const keepFields = (map: JsonObject, paths: readonly FieldPath[]): JsonObject =>
  paths.reduce<JsonObject>((kept, path) => {
    const value = readField(map, path);
    return value === undefined ? kept : (writeField(kept, path, value) as JsonObject);
  }, {});

const removeFields = (map: JsonObject, paths: readonly FieldPath[]): JsonObject =>
  paths.reduce<JsonObject>((rest, path) => removeField(rest, path) as JsonObject, map);

interface Rename {
  readonly from: FieldPath;
  readonly to: FieldPath;
}

export const renameKeys = defineAction({
  id: 'renameKeys',
  name: 'Rename keys',
  description:
    'Renames or moves fields of the input, or of each item of a list. All are moved at once, so that two can swap',
  pure: true,
  outputs: { main: Given.ifGiven('items', closed({ items: Type.Array(Type.Object({})) }), Type.Object({})) },
  parameters: Type.Object({
    items: optionalItems,
    names: Type.Record(Type.String(), Type.String({ minLength: 1 }), {
      description: `Old fields and new ones; absent ones are ignored. Each is ${PATH_FORM}`,
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
