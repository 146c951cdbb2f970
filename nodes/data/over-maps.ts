import { isJsonMap, type JsonObject, type JsonValue, Type, wrongParameter } from '@hookloom/plugin-kit';
import { listOf } from './items.ts';

/** The parameter of nodes that change one map or many. */
export const optionalItems = Type.Optional(
  listOf('A list of maps, of up to 100,000; without it, the input itself is changed'),
);

/**
 * Changes the input, or each item of the list when there is one.
 *
 * @returns the changed input, or `{ items }`
 * @throws TypeError when an item is not a map
 */
export const overMaps = (
  items: readonly JsonValue[] | undefined,
  input: JsonObject,
  change: (map: JsonObject, place: string) => JsonObject,
): JsonObject => {
  if (items === undefined) return change(input, 'the input');
  return {
    items: items.map((item, index) => {
      if (!isJsonMap(item)) throw wrongParameter(`items[${index}]`, 'a map', item);
      return change(item, `items[${index}]`);
    }),
  };
};
