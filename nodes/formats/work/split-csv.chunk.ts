import type { Files, FileValue, JsonObject } from '@hookloom/plugin-kit';
import { stringify } from 'csv-stringify/sync';
import { readCsvRows } from './read-csv-rows.ts';

interface SplitOptions {
  /** Each part has the first row. */
  readonly header: boolean;
  readonly delimiter: string;
  readonly rowsPerFile: number;
}

/**
 * Splits a CSV file into files of so many rows, in constant memory.
 *
 * @param name - of the file; those of the parts end with `-1.csv`, `-2.csv`, …
 * @returns `{ files, rows }`
 * @throws RangeError with the line, for what is no CSV
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

  /** Reads on when all rows are taken. @returns false at the end of the file */
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
