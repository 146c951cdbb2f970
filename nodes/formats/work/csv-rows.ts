import type { JsonValue } from '@hookloom/plugin-kit';
import type { CsvError } from 'csv-parse';

/** Rows, columns and characters: what a function of 512 MB holds with ease. */
const MAX_ROWS = 100_000;
const MAX_VALUES = 1_000_000;
const MAX_CHARACTERS = 20_000_000;
export const MAX_COLUMNS = 1_000;

/** Which rows to take, not counting the header. */
export interface RowRange {
  readonly header: boolean;
  readonly skip: number;
  /** All when absent. */
  readonly limit?: number | undefined;
}

/** How many rows have to be read for a range, the header included; undefined for all. */
export const rowsToRead = ({ header, skip, limit }: RowRange): number | undefined =>
  limit === undefined ? undefined : skip + limit + (header ? 1 : 0);

/** Where the rows are from, for errors. */
type CsvSource = 'text' | 'file';

/** Takes rows as items: maps by the names in the first row, or lists. */
interface RowCollector {
  readonly items: readonly JsonValue[];
  /** @throws RangeError with the line, for a name that two columns have, and for more than fits */
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
        throw refuse(
          source,
          `has more than ${MAX_ROWS} rows, ${MAX_VALUES} values or ${MAX_CHARACTERS} characters; take fewer rows with limit, or split the file`,
          line,
        );
      items.push(names === null ? row : toMap(names, row));
    },
  };
};

export const refuse = (source: CsvSource, problem: string, line: number): RangeError =>
  new RangeError(`Parameter "${source}" ${problem}: line ${line}`);

const checkNames = (row: readonly string[], line: number, source: CsvSource): readonly string[] => {
  const known = new Set<string>();
  for (const [index, name] of row.entries()) {
    if (known.has(name))
      throw refuse(source, `has the same name for column ${index + 1} and an earlier one`, line);
    known.add(name);
  }
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
  CSV_MAX_RECORD_SIZE: 'has a row of more than 1 MB, or a quote that is not closed',
};

/** @param error - of the parser */
export const toRangeError = (source: CsvSource, error: CsvError): RangeError => {
  const { code, lines } = error as CsvError & { readonly lines?: number };
  return refuse(source, problems[code] ?? 'is no CSV', lines ?? 1);
};
