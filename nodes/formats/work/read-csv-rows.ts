import { CsvError, type Parser, parse } from 'csv-parse';
import { MAX_COLUMNS, refuse, toRangeError } from './csv-rows.ts';

/** Characters of one row: a quote that is not closed would take the rest of the file into memory. */
const MAX_ROW = 1_000_000;

interface CsvRow {
  readonly row: readonly string[];
  /** Of its end; 1 is the first. */
  readonly line: number;
}

/**
 * Reads the rows of a CSV file in constant memory, in batches: those that end in one chunk of the file. Rows that are
 * empty are passed over.
 *
 * @param content - UTF-8, or UTF-16 with a byte order mark; closed when no more rows are taken
 * @param limit - rows to read, the first one included; all when absent
 * @throws RangeError with the line, for what is no CSV, a row of another length, and one that is too large
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
    // Kept here: as output of the parser, which is a stream, each row would cost several times its parsing.
    on_record: (row: string[], { lines: line }) => {
      if (row.length > MAX_COLUMNS) throw refuse('file', `has more than ${MAX_COLUMNS} columns`, line);
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
      await write(parser, chunk);
      if (rows.length > 0) yield takeRows();
      if (count >= limit) return; // the parser has stopped
    }
    await end(parser);
    if (rows.length > 0) yield takeRows();
  } catch (error) {
    throw error instanceof CsvError ? toRangeError('file', error) : error;
  } finally {
    parser.destroy();
  }
};

const write = (parser: Parser, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

const end = (parser: Parser): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.end((error?: Error | null) => (error ? reject(error) : resolve()));
  });
