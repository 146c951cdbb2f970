import type { JsonValue } from '@hookloom/plugin-kit';
import { CsvError, parse } from 'csv-parse/sync';
import { collectRows, MAX_COLUMNS, type RowRange, refuse, rowsToRead, toRangeError } from './csv-rows.ts';

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [10, 13, 34];

interface ParseOptions extends RowRange {
  readonly delimiter: string;
}

/**
 * Parses CSV: maps by the names in the first row, or lists. Rows that are empty are passed over.
 *
 * @throws RangeError with the line, for text that is no CSV, a row of another length, a name that two columns have, and
 * more than fits
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
    if (columns > MAX_COLUMNS) throw refuse('text', `has more than ${MAX_COLUMNS} columns`, line);
  }
};
