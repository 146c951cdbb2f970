import { isPlainObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import { wrongParameter } from '../declare/read-parameters.ts';

/**
 * Reads the keys of items, which tell whether an item was seen before.
 *
 * @param itemKey - the field that identifies an item; empty if the item itself does
 * @throws TypeError with the place of an item whose key is neither a string nor a number
 */
export const readItemKeys = (items: readonly JsonValue[], itemKey: string): readonly string[] =>
  items.map((item, index) => {
    const key = itemKey === '' ? item : readOwn(item, itemKey);
    if (typeof key !== 'string' && typeof key !== 'number')
      throw wrongParameter(toItemPlace(index, itemKey), 'a string or a number', key);
    return String(key);
  });

/** The place of an item's key in a message, such as `items[3].guid`. */
export const toItemPlace = (index: number, itemKey: string): string =>
  itemKey === '' ? `items[${index}]` : `items[${index}].${itemKey}`;

const readOwn = (item: JsonValue, name: string): JsonValue | undefined =>
  isPlainObject(item) && Object.hasOwn(item, name) ? (item as JsonObject)[name] : undefined;
