import {
  type Files,
  type FileValue,
  isJsonMap,
  type JsonObject,
  type JsonValue,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import {
  collectRows,
  csvError,
  MAX_COLUMNS,
  type RowRange,
  readCsvRows,
  rowsToRead,
  toRangeError,
} from './csv-rows.ts';

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [10, 13, 34];

interface ParseOptions extends RowRange {
  readonly delimiter: string;
}

/**
 * Parses CSV into maps, by the names in the first row, or lists. Empty rows are skipped.
 * @throws RangeError with the line, if the text is not CSV, a row has another length, two columns have the same name,
 * or there is too much data
 */
export const parseCsv = (text: string, { delimiter, ...range }: ParseOptions): readonly JsonValue[] => {
  const rows = collectRows(range, 'text');
  const to = rowsToRead(range);
  limitColumns(text, delimiter);
  try {
    parse(text, {
      bom: true,
      delimiter,
      // Maps are made by the collector: the parser would assign to a key __proto__.
      columns: false,
      skip_empty_lines: true,
      ...(to === undefined ? {} : { to }),
      on_record: (row: string[], { lines }) => {
        rows.add(row, lines);
        return null;
      },
    });
  } catch (error) {
    throw error instanceof CsvError ? toRangeError('text', error) : error;
  }
  return rows.items;
};

/** Checked before the text is parsed, since the parser holds a whole row before it can be counted. */
const limitColumns = (text: string, delimiter: string): void => {
  const separator = delimiter.charCodeAt(0);
  let columns = 1;
  let line = 1;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED) line++;
    if (unit === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (unit === LINE_FEED || unit === CARRIAGE_RETURN) columns = 1;
    else if (unit === separator) columns++;
    if (columns > MAX_COLUMNS) throw csvError('text', `has more than ${MAX_COLUMNS} columns`, line);
  }
};

interface SplitOptions {
  /** Whether each part begins with the header row. */
  readonly header: boolean;
  readonly delimiter: string;
  readonly rowsPerFile: number;
}

/**
 * Splits a CSV file into files of a number of rows, in constant memory.
 * @param name - name of the file; the names of its parts end with `-1.csv`, `-2.csv`, …
 * @returns `{ files, rows }`
 * @throws RangeError with the line, if the file is not CSV
 * @throws AppError `TOO_MANY_FILES` | `FILE_*` | `STORE_UNAVAILABLE`
 */
export const splitCsv = async (
  content: AsyncIterable<Uint8Array>,
  name: string,
  { header, delimiter, rowsPerFile }: SplitOptions,
  files: Pick<Files, 'save'>,
): Promise<JsonObject> => {
  const batches = readCsvRows(content, delimiter);
  let batch: (readonly string[])[] = [];
  let rows = 0;

  /** Reads more rows if all are used up. @returns false at the end of the file */
  const hasRows = async (): Promise<boolean> => {
    if (batch.length > 0) return true;
    const next = await batches.next();
    if (next.done !== true) batch = next.value.map(({ row }) => row);
    return next.done !== true;
  };

  const writePart = async function* (names: readonly (readonly string[])[]): AsyncGenerator<Uint8Array> {
    yield toBytes(names, delimiter);
    for (let left = rowsPerFile; left > 0 && (await hasRows()); ) {
      const taken = batch.splice(0, left);
      left -= taken.length;
      rows += taken.length;
      yield toBytes(taken, delimiter);
    }
  };

  const saved: FileValue[] = [];
  try {
    const names = header && (await hasRows()) ? batch.splice(0, 1) : [];
    while (await hasRows()) {
      const about = { name: `${stemOf(name)}-${saved.length + 1}.csv`, mediaType: 'text/csv' };
      saved.push(await files.save(writePart(names), about));
    }
  } finally {
    await batches.return(undefined); // closes the file when a part can't be saved
  }
  return { files: saved, rows };
};

const toBytes = (rows: readonly (readonly string[])[], delimiter: string): Uint8Array =>
  Buffer.from(
    stringify(
      rows.map((row) => [...row]),
      { delimiter },
    ),
  );

const stemOf = (name: string): string => {
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? name.slice(0, dot) : name) || 'part';
};

interface WriteOptions {
  readonly header: boolean;
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly escapeFormulas: boolean;
}

/** Number of rows that are written to a file at a time. */
const BATCH = 1_000;

/**
 * Writes items as CSV, with `\n` after each row. null is written as an empty value.
 * @throws TypeError if an item is neither a map nor, without a header, a list
 */
export const writeCsv = (items: readonly JsonValue[], options: WriteOptions): string =>
  stringify(toRows(items, options), toStyle(options));

/** Like {@link writeCsv}, as bytes and part by part. */
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
): (readonly (string | number)[])[] => {
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
): readonly (string | number)[] => {
  if (isJsonMap(item)) return columns.map((name) => toField(readOwn(item, name)));
  if (!header && Array.isArray(item)) return item.map(toField);
  throw wrongParameter(`items[${index}]`, header ? 'a map' : 'a map or a list', item);
};

const readOwn = (map: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;

/** Numbers stay numbers, since a negative one is no formula. */
const toField = (value: JsonValue | undefined): string | number => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
};

/**
 * Parses a CSV file, with only the requested rows in memory.
 * @throws RangeError with the line, see `parseCsv`; and the error of `content`
 */
export const parseCsvFile = async (
  content: AsyncIterable<Uint8Array>,
  { delimiter, ...range }: ParseOptions,
): Promise<readonly JsonValue[]> => {
  const rows = collectRows(range, 'file');
  for await (const batch of readCsvRows(content, delimiter, rowsToRead(range)))
    for (const { row, line } of batch) rows.add(row, line);
  return rows.items;
};
