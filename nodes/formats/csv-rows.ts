import type { JsonValue } from '@hookloom/plugin-kit';
import { CsvError, type Parser, parse } from 'csv-parse';

/** Limits on rows, columns and characters, which a function with 512 MB can hold easily. */
const MAX_ROWS = 100_000;
const MAX_VALUES = 1_000_000;
const MAX_CHARACTERS = 20_000_000;
export const MAX_COLUMNS = 1_000;

/** Which rows to take, not counting the header. */
export interface RowRange {
  readonly header: boolean;
  readonly skip: number;
  /** How many rows to take; all by default. */
  readonly limit?: number | undefined;
}

/** How many rows have to be read for a range, including the header; undefined for all. */
export const rowsToRead = ({ header, skip, limit }: RowRange): number | undefined =>
  limit === undefined ? undefined : skip + limit + (header ? 1 : 0);

/** What the rows are read from, named in errors. */
type CsvSource = 'text' | 'file';

/** Converts rows to items: maps keyed by the names in the first row, or lists. */
interface RowCollector {
  readonly items: readonly JsonValue[];
  /** @throws RangeError with the line, if two columns have the same name or there is too much data */
  add(row: readonly string[], line: number): void;
}

export const collectRows = ({ header, skip, limit }: RowRange, source: CsvSource): RowCollector => {
  const items: JsonValue[] = [];
  let names: readonly string[] | null = null;
  let [skipped, values, characters] = [0, 0, 0];
  return {
    items,
    add: (row, line) => {
      if (header && names === null) {
        names = checkNames(row, line, source);
        return;
      }
      if (skipped++ < skip || items.length >= (limit ?? Number.POSITIVE_INFINITY)) return;
      values += row.length;
      characters += row.reduce((sum, { length }) => sum + length, 0);
      if (items.length >= MAX_ROWS || values > MAX_VALUES || characters > MAX_CHARACTERS)
        throw csvError(
          source,
          `has more than ${MAX_ROWS} rows, ${MAX_VALUES} values or ${MAX_CHARACTERS} characters; take fewer rows with limit, or split the file`,
          line,
        );
      items.push(names === null ? row : toMap(names, row));
    },
  };
};

export const csvError = (source: CsvSource, problem: string, line: number): RangeError =>
  new RangeError(`Parameter "${source}" ${problem}: line ${line}`);

const checkNames = (row: readonly string[], line: number, source: CsvSource): readonly string[] => {
  const known = new Set<string>();
  for (const [index, name] of row.entries()) {
    if (known.has(name))
      throw csvError(source, `has the same name for column ${index + 1} and an earlier one`, line);
    known.add(name);
  }
  return row;
};

const toMap = (names: readonly string[], row: readonly string[]): JsonValue =>
  Object.fromEntries(names.map((name, index) => [name, row[index] ?? '']));

/** Our messages by the parser's error code, since the parser's own messages repeat parts of the text. */
const problems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  INVALID_OPENING_QUOTE: 'has a quote inside a value; put the value in quotes, and double those inside',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote; double the quotes inside a value',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'has a row with more or fewer values than the first',
  CSV_MAX_RECORD_SIZE: 'has a row of more than 1 MB, or an unclosed quote',
};

/** @param error - the parser's error */
export const toRangeError = (source: CsvSource, error: CsvError): RangeError => {
  const { code, lines } = error as CsvError & { readonly lines?: number };
  return csvError(source, problems[code] ?? 'is no CSV', lines ?? 1);
};

/** Maximum length of one row in characters, since an unclosed quote would read the rest of the file into memory. */
const MAX_ROW = 1_000_000;

interface CsvRow {
  readonly row: readonly string[];
  /** The line on which the row ends, counted from 1. */
  readonly line: number;
}

/**
 * Reads the rows of a CSV file in constant memory, in batches of those that end in one chunk of the file. Empty rows
 * are skipped.
 * @param content - UTF-8, or UTF-16 with a byte order mark; closed when no more rows are read
 * @param limit - rows to read, including the first; all if absent
 * @throws RangeError with the line, for what is not CSV, a row of another length, and one that is too large
 */
export const readCsvRows = async function* (
  content: AsyncIterable<Uint8Array>,
  delimiter: string,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly CsvRow[]> {
  let rows: CsvRow[] = [];
  let count = 0;
  const parser = parse({
    bom: true,
    delimiter,
    skip_empty_lines: true,
    max_record_size: MAX_ROW,
    ...(Number.isFinite(limit) ? { to: limit } : {}),
    // Rows are collected here: passing each through the parser's output stream would cost several times as much as
    // parsing it.
    on_record: (row: string[], { lines: line }) => {
      if (row.length > MAX_COLUMNS) throw csvError('file', `has more than ${MAX_COLUMNS} columns`, line);
      rows.push({ row, line });
      count++;
      return null;
    },
  });
  parser.on('error', () => {}); // handed to the callbacks as well
  const takeRows = (): readonly CsvRow[] => {
    const taken = rows;
    rows = [];
    return taken;
  };
  try {
    for await (const chunk of content) {
      await writeToParser(parser, chunk);
      if (rows.length > 0) yield takeRows();
      if (count >= limit) return; // the parser has stopped
    }
    await endParser(parser);
    if (rows.length > 0) yield takeRows();
  } catch (error) {
    throw error instanceof CsvError ? toRangeError('file', error) : error;
  } finally {
    parser.destroy();
  }
};

const writeToParser = (parser: Parser, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

const endParser = (parser: Parser): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.end((error?: Error | null) => (error ? reject(error) : resolve()));
  });
