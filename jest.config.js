import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For all temporary files of one run: the framework, for one, leaves some behind. */
const temporary = mkdtempSync(join(tmpdir(), 'hookloom-tests-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));

// The processes that tests start (npm, the framework, the service) inherit these, too.
process.env.TMPDIR = temporary;
// Of the workers, kept for the next run. What comes from it has no counters for the coverage.
if (process.env.NODE_V8_COVERAGE === undefined)
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules/.cache/hookloom-tests');
process.env.GOGC ??= '400'; // esbuild, which they use most, takes a quarter less CPU time when it collects garbage less often

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/tests/**/*.test.ts', '<rootDir>/packages/*/tests/**/*.test.ts'],
  // jest.deep.config.js runs those; jest.nightly.config.js all of them, and the mutation tests.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/packages/(?:lambda-stage|local)/',
    '<rootDir>/packages/console/tests/serve/',
    ...['deep', 'e2e', 'instruments', 'mutation', 'scripts'].map((folder) => `<rootDir>/tests/${folder}/`),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.stryker-tmp/'], // the built kit and Stryker's copies have the names of their sources
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testRunner: '<rootDir>/tests/support/runner/native-runner.js',
  reporters: ['default', '<rootDir>/tests/support/slowest-files.js'],
  testSequencer: '<rootDir>/tests/support/longest-first.js',
  maxWorkers: 3, // for two cores: part of the time, tests wait for the network or for other processes
  workerGracefulExitTimeout: 60_000, // without a handle left a worker ends at once, but giving back its memory takes a while
  testTimeout: 120_000, // ends what hangs, on a machine ten times slower as well; speed is the benchmarks' subject
};
