import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readImportGraph, readSources } from '../tests/support/import-graph.ts';
import { readProjectFile, updatePages } from './cost/places.ts';
import { targets } from './mutation/targets.ts';
import { type CitedTest, findCitedTests } from './promises/find-cited-tests.ts';
import { findFaults } from './promises/find-faults.ts';
import { printTopics } from './promises/print-topics.ts';
import { topics } from './promises/promises.ts';

// Writes the tables of promises with the tests that hold them into their page. With `--check`, changes nothing and exits with 1
// when the page differs. Exits with 1 when a promise has no test, or a test cites an unknown one.

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

const { default: quick } = (await import(new URL('../jest.config.js', import.meta.url).href)) as {
  readonly default: { readonly testPathIgnorePatterns: readonly string[] };
};
/** What `npm test` leaves out. */
const leftOut = quick.testPathIgnorePatterns.map((pattern) => new RegExp(pattern.replace('<rootDir>', '^')));

const sources = readSources(root, ['tests', 'packages']);
const importers = new Map<string, string[]>();
for (const [file, { imports }] of readImportGraph(sources))
  for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), file]);

/** The test files that run the tests of a file: itself, or those that import it. */
const findRunners = (file: string): readonly string[] =>
  file.endsWith('.test.ts') ? [file] : [...new Set((importers.get(file) ?? []).flatMap(findRunners))];

const mutated = Object.entries(targets).map(([name, { tests }]) => [name, new Set(globSync(tests))] as const);

const findRuns = ({ file, hasMoreCases }: CitedTest) => {
  const runners = findRunners(file);
  const isQuick = (runner: string): boolean => !leftOut.some((pattern) => pattern.test(`/${runner}`));
  const changed = mutated
    .filter(([, tests]) => runners.some((runner) => tests.has(runner)))
    .map(([name]) => name);
  return {
    runs: [...(runners.some(isQuick) ? ['quick'] : []), ...(runners.every(isQuick) ? [] : ['deep'])],
    nightly: [
      ...(runners.some(isQuick) ? ['slow servers'] : []),
      ...(hasMoreCases ? ['more cases'] : []),
      ...(changed.length > 0 ? [`mutants of ${changed.join(' and ')}`] : []),
    ],
  };
};

const tests = Object.entries(sources)
  .filter(([file, text]) => file.includes('tests/') && text.includes('// holds: '))
  .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  .flatMap(([file, text]) => findCitedTests(file, text));

const faults = findFaults(topics, tests, readProjectFile);
const runs = tests.map((test) => ({ ...test, ...findRuns(test) }));
const place = (page: string) => posix.relative('docs', page);
updatePages({ 'docs/promises.md': { promises: printTopics(topics, runs, place) } }, 'docs:promises');
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
