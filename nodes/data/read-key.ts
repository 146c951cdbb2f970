import type { JsonValue } from '@hookloom/plugin-kit';
import { parseFieldPath, readField } from './field-path.ts';
import { toKey } from './to-key.ts';

/**
 * Compiles paths to a function whose results are equal for items with equal values at all of them. An absent value
 * equals an absent one only.
 *
 * @param fields - paths; none for the item itself
 * @param place - the parameter, for the error
 * @throws RangeError for an invalid path
 */
export const createReadKey = (fields: readonly string[], place: string): ((item: JsonValue) => string) => {
  const paths = fields.map((field, index) => parseFieldPath(field, `${place}[${index}]`));
  return paths.length === 0 ? toKey : (item) => paths.map((path) => toKey(readField(item, path))).join();
};
