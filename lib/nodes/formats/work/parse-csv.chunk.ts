import { CsvError, parse } from 'csv-parse/sync';
import type { JsonValue } from '../../../contract/json.ts';

/** Rows, columns and values: what a function of 512 MB holds with ease. */
const MAX_ROWS = 100_000;
const MAX_COLUMNS = 1_000;
const MAX_VALUES = 1_000_000;

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [10, 13, 34];

interface ParseOptions {
  readonly header: boolean;
  readonly delimiter: string;
}

/**
 * Parses CSV: maps by the names in the first row, or lists. Rows that are empty are passed over.
 *
 * @throws RangeError with the line, for text that is no CSV, a row of another length, a name that two columns have, and
 * more than fits
 */
export const parseCsv = (text: string, { header, delimiter }: ParseOptions): JsonValue[] => {
  const items: JsonValue[] = [];
  let names: readonly string[] | null = null;
  let values = 0;
  const keep = (row: readonly string[], line: number): void => {
    values += row.length;
    if (items.length >= MAX_ROWS || values > MAX_VALUES)
      throw refuse(`has more than ${MAX_ROWS} rows or ${MAX_VALUES} values; send it in parts`, line);
    if (!header) items.push(row);
    else if (names === null) names = checkNames(row, line);
    else items.push(toMap(names, row));
  };
  limitColumns(text, delimiter);
  try {
    parse(text, {
      bom: true,
      delimiter,
      // Maps are made here: the parser would assign to a key __proto__.
      columns: false,
      skip_empty_lines: true,
      on_record: (row: string[], { lines }) => {
        keep(row, lines);
        return null;
      },
    });
  } catch (error) {
    throw error instanceof CsvError ? toRangeError(error) : error;
  }
  return items;
};

/** Before the text is parsed, since the parser holds a whole row before it can be counted. */
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
    if (columns > MAX_COLUMNS) throw refuse(`has more than ${MAX_COLUMNS} columns`, line);
  }
};

const refuse = (problem: string, line: number): RangeError =>
  new RangeError(`Parameter "text" ${problem}: line ${line}`);

const checkNames = (row: readonly string[], line: number): readonly string[] => {
  const index = row.findIndex((name, at) => row.indexOf(name) < at);
  if (index !== -1) throw refuse(`has the same name for column ${index + 1} and an earlier one`, line);
  return row;
};

const toMap = (names: readonly string[], row: readonly string[]): JsonValue =>
  Object.fromEntries(names.map((name, index) => [name, row[index] ?? '']));

/** By the parser's code; its own messages repeat parts of the text. */
const problems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  INVALID_OPENING_QUOTE: 'has a quote within a value; put the value in quotes, and double those within',
  CSV_INVALID_CLOSING_QUOTE: 'has text behind a closing quote; double the quotes within a value',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'has a row with more or fewer values than the first',
};

const toRangeError = (error: CsvError & { readonly lines?: number }): RangeError =>
  refuse(problems[error.code] ?? 'is no CSV', error.lines ?? 1);
