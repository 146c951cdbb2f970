/** Median of the values; half of the runs were faster. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

const ROUNDS = 9;

/**
 * Microseconds that one call takes: the median of several rounds, each of at least `roundMs`, after one round to
 * warm up. Noise of the machine makes single rounds slower, never faster.
 */
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

/** A table for a terminal: the first column to the left, the others to the right. */
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
