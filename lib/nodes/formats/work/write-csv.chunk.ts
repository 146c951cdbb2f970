import { stringify } from 'csv-stringify/sync';
import type { JsonObject, JsonValue } from '../../../contract/json.ts';
import { isJsonMap, wrongParameter } from '../../../contract/kit/read-parameters.ts';

interface WriteOptions {
  readonly header: boolean;
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly escapeFormulas: boolean;
}

/**
 * Writes items as CSV, with `\n` behind each row. null is an empty value.
 *
 * @throws TypeError for an item that is neither a map nor, without a header, a list
 */
export const writeCsv = (items: readonly JsonValue[], options: WriteOptions): string => {
  const { header, columns: given, delimiter, escapeFormulas } = options;
  const [first] = items;
  const columns = given.length > 0 || !isJsonMap(first) ? given : Object.keys(first);
  const rows = items.map((item, index) => toRow(item, columns, header, index));
  const all = header && columns.length > 0 ? [[...columns], ...rows] : rows;
  return stringify(all, { delimiter, escape_formulas: escapeFormulas });
};

const toRow = (
  item: JsonValue,
  columns: readonly string[],
  header: boolean,
  index: number,
): readonly string[] => {
  if (isJsonMap(item)) return columns.map((name) => toText(readOwn(item, name)));
  if (!header && Array.isArray(item)) return item.map(toText);
  throw wrongParameter(`items[${index}]`, header ? 'a map' : 'a map or a list', item);
};

const readOwn = (map: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;

const toText = (value: JsonValue | undefined): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
