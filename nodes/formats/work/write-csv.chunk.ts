import { isJsonMap, type JsonObject, type JsonValue, wrongParameter } from '@hookloom/plugin-kit';
import { stringify } from 'csv-stringify/sync';

interface WriteOptions {
  readonly header: boolean;
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly escapeFormulas: boolean;
}

/** Rows that are written at once into a file. */
const BATCH = 1_000;

/**
 * Writes items as CSV, with `\n` behind each row. null is an empty value.
 *
 * @throws TypeError for an item that is neither a map nor, without a header, a list
 */
export const writeCsv = (items: readonly JsonValue[], options: WriteOptions): string =>
  stringify(toRows(items, options), toStyle(options));

/** The same as bytes, part by part. */
export const streamCsv = async function* (
  items: readonly JsonValue[],
  options: WriteOptions,
): AsyncGenerator<Uint8Array> {
  const rows = toRows(items, options);
  for (let at = 0; at < rows.length; at += BATCH)
    yield Buffer.from(stringify(rows.slice(at, at + BATCH), toStyle(options)));
};

const toStyle = ({ delimiter, escapeFormulas }: WriteOptions) => ({
  delimiter,
  escape_formulas: escapeFormulas,
});

const toRows = (
  items: readonly JsonValue[],
  { header, columns: given }: WriteOptions,
): (readonly string[])[] => {
  const [first] = items;
  const columns = given.length > 0 || !isJsonMap(first) ? given : Object.keys(first);
  const rows = items.map((item, index) => toRow(item, columns, header, index));
  return header && columns.length > 0 ? [[...columns], ...rows] : rows;
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
