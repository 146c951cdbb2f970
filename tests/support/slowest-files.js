/** A Jest reporter: prints which test files took longest, in seconds. Summed over all workers, and noisy under load. */
export default class SlowestFiles {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= COUNT) return;
    const files = testResults
      .map(({ testFilePath, perfStats: { start, end } }) => ({
        path: testFilePath.replace(`${process.cwd()}/`, ''),
        seconds: (end - start) / 1_000,
      }))
      .sort((a, b) => b.seconds - a.seconds);
    const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
    const lines = files.slice(0, COUNT).map(({ path, seconds }) => `${inColumn(seconds)}  ${path}`);
    process.stderr.write(`\nSlowest files, in seconds:\n${lines.join('\n')}\n${inColumn(total)}  all\n`);
  }
}

const COUNT = 10;

const inColumn = (seconds) => seconds.toFixed(1).padStart(7);
