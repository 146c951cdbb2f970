import { cpus, totalmem } from 'node:os';

/** Prints what times depend on: those of two machines do not compare. */
export const printMachine = (note = ''): void => {
  const [{ model } = { model: 'unknown' }] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  console.log(`Node ${process.version} on ${cpus().length} × ${model}, ${memory} GiB${note}`);
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

const ROUNDS = 9;

/** Microseconds of one call: the median of several rounds of at least `roundMs` each, after one to warm up. */
export const measure = async (call: () => unknown, roundMs = 150): Promise<number> => {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const start = process.hrtime.bigint();
    const end = start + BigInt(roundMs * 1e6);
    let calls = 0;
    while (process.hrtime.bigint() < end) {
      await call();
      calls++;
    }
    if (round > 0) rounds.push(Number(process.hrtime.bigint() - start) / 1e3 / calls);
  }
  return median(rounds);
};

/** Prints a table with the first column aligned to the left, the others to the right. */
export const printTable = (
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): void => {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ');
  console.log(`\n${title}\n`);
  console.log(line(header));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows) console.log(line(row));
};
