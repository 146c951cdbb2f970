import { existsSync, globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { Argument, Command } from 'commander';
import { type Target, targets } from './targets.ts';

// Changes the code of a target in one place after the other, and counts after which of the changes a test fails:
// `npm run test:mutation -- linear-regex`. https://stryker-mutator.io/docs/stryker-js/configuration/

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Percent of the changes after which a test fails, or takes too long. */
const LEAST_SCORE = 85;

const command = new Command('npm run test:mutation --')
  .description(
    `Changes code in one place after the other. The exit code is 1 when tests notice fewer than ${LEAST_SCORE} % of the changes, or miss one that scripts/mutation/survivors gives no reason for.`,
  )
  .addArgument(new Argument('<target>', 'the code that is changed').choices(Object.keys(targets)))
  .option(
    '--only <pattern>',
    'files of the target, or lines of one: packages/linear-regex/src/search.ts:40-60',
  )
  .parse();
const [name = ''] = command.args;
const { only } = command.opts<{ readonly only?: string }>();

/** Why no test fails after a change: the changes by reason, by file. A change is `code ⇒ what takes its place`. */
type Survivors = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const survivorsPath = resolve(import.meta.dirname, 'survivors', `${name}.json`);
const survivors: Survivors = existsSync(survivorsPath) ? JSON.parse(readFileSync(survivorsPath, 'utf8')) : {};

// Of tests with more cases in `npm run test:nightly`, which calls this, too, the few are enough to notice a change.
process.env.HOOKLOOM_TESTS = 'few';

const { mutate, tests } = targets[name] as Target;
const patterns = only === undefined ? mutate : [only];
/** The lines of the changed files by path, as they are now: files may be edited during the run. */
const sources = new Map(
  globSync(patterns.map(withoutRange)).map((path) => [path, readFileSync(path, 'utf8').split('\n')]),
);
const plugin = (file: string) => resolve(import.meta.dirname, file);
const stryker = new Stryker({
  mutate: [...patterns],
  testRunner: 'loaded-once',
  plugins: [plugin('mutant-runner.js'), plugin('ignore-sentences.js')],
  ignorers: ['sentences'],
  sources: [...sources.keys()],
  tests,
  coverageAnalysis: 'perTest',
  ignoreStatic: true, // module-level code, after whose change every file would have to be loaded again for each test
  tsconfigFile: 'none', // TypeScript 7 has no API to read it with
  ignorePatterns: ['.serverless', '.esbuild', '.hookloom', 'dist', 'docs'],
  concurrency: 2,
  timeoutMS: 20_000, // after the runner's own limit
  reporters: ['progress-append-only'],
  allowConsoleColors: process.stdout.isTTY,
} as ConstructorParameters<typeof Stryker>[0]);

const results = await stryker.runMutationTest();
const isMissed = (status: string) => status === 'Survived' || status === 'NoCoverage';
const counted = results.filter(
  ({ status }) => isMissed(status) || status === 'Killed' || status === 'Timeout',
);
const missed = counted.filter(({ status }) => isMissed(status));

const withoutReason = missed.flatMap(({ fileName, location: { start, end }, replacement }) => {
  const file = relative(process.cwd(), fileName);
  const change = `${shorten(textAt(file, start, end))} ⇒ ${shorten(replacement ?? '')}`;
  const isListed = Object.values(survivors[file] ?? {}).some((changes) => changes.includes(change));
  return isListed ? [] : [{ place: `${file}:${start.line}`, change }];
});
const score = counted.length === 0 ? 100 : (100 * (counted.length - missed.length)) / counted.length;
for (const { place, change } of withoutReason) console.log(`${place}\n  ${JSON.stringify(change)}`);
console.log(
  `${name}: tests notice ${score.toFixed(1)} % of ${counted.length} changes; ${withoutReason.length} of ${missed.length} that they miss are without a reason.`,
);
process.exitCode = score < LEAST_SCORE || withoutReason.length > 0 ? 1 : 0;

/** The pattern of files before a range of lines: `search.ts:40-60`. */
function withoutRange(pattern: string): string {
  return pattern.replace(/:\d+(:\d+)?-\d+(:\d+)?$/, '');
}

/** Lines and columns count from 1. */
function textAt(path: string, start: Position, end: Position): string {
  const lines = (sources.get(path) ?? []).slice(start.line - 1, end.line);
  lines.push((lines.pop() ?? '').slice(0, end.column - 1));
  return lines.join('\n').slice(start.column - 1);
}

function shorten(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
