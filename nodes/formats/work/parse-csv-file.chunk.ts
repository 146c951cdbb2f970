import type { JsonValue } from '@hookloom/plugin-kit';
import { collectRows, type RowRange, rowsToRead } from './csv-rows.ts';
import { readCsvRows } from './read-csv-rows.ts';

interface ParseOptions extends RowRange {
  readonly delimiter: string;
}

/**
 * Parses a CSV file in memory for the rows that are taken alone.
 *
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
