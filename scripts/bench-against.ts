import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createEnvironment, createEvent, order, toChain } from './bench/bench-service.ts';
import type { buildBundle } from './bench/build-bundle.ts';
import { type Start, startFresh } from './bench/fresh-process.ts';
import { formatSpread, printMachine, printTable, toFigure } from './bench/measure.ts';
import { fourNodes } from './bench/requests/four-nodes.ts';
import { openWebhookOf } from './bench/requests/recorded-request.ts';

// Compares the webhook function with the one in another folder of this project, such as a worktree of an earlier commit with its
// own node_modules: `npm run bench:against -- ../before`. Each is built with the settings of its own folder.

const ROUNDS = 150;
/** Warm responses are measured only every so many rounds: they take ten times as long as a start and vary less. */
const WARM_EVERY = 6;
const WARM_ANSWERS = 1_000;
const stages = ['import', 'first', 'second', 'warm'] as const;

const build = async (root: string, file: string) => {
  const builder = pathToFileURL(join(root, 'scripts/bench/build-bundle.ts')).href;
  const { buildBundle: buildIn }: { buildBundle: typeof buildBundle } = await import(builder);
  await buildIn('functions/webhook.ts', file);
  return { root, file, starts: [] as Start[] };
};

const [other] = process.argv.slice(2);
if (other === undefined)
  throw new Error('Specify the folder to compare with: npm run bench:against -- ../before');
printMachine();
const folder = mkdtempSync(join(tmpdir(), 'hookloom-bench-'));
const bundles = [
  await build(resolve(other), join(folder, 'before.cjs')),
  await build(process.cwd(), join(folder, 'after.cjs')),
];
const { endpoint, stop } = await openWebhookOf(toChain('hello', 'lastNode', fourNodes()));
const event = JSON.stringify(createEvent('hello', JSON.stringify(order)));
for (let round = 0; round < ROUNDS; round++) {
  // Alternating, with either one first, so that other load on the machine affects both.
  for (const { file, starts } of round % 2 === 0 ? bundles : bundles.toReversed())
    starts.push(
      startFresh(
        file,
        createEnvironment('webhook', endpoint),
        event,
        round % WARM_EVERY === 0 ? WARM_ANSWERS : 0,
      ),
    );
}
stop();

/** The measurements of a stage; a start without warm responses has none. */
const valuesOf = (starts: readonly Start[], stage: (typeof stages)[number]): readonly number[] =>
  starts.map((one) => one[stage]).filter((value) => value > 0);

/** The interquartile mean: a third more precise than the median and just as robust against outliers. */
const midmean = (values: readonly number[]): number => {
  const quarter = Math.floor(values.length / 4);
  const middle = values.toSorted((a, b) => a - b).slice(quarter, values.length - quarter);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
};

const figures = bundles.map(({ starts }) => stages.map((stage) => toFigure(valuesOf(starts, stage))));
const [before = [], after = []] = bundles.map(({ starts }) =>
  stages.map((stage) => midmean(valuesOf(starts, stage))),
);
printTable(
  `The webhook with four nodes, in alternating fresh processes (median of ${ROUNDS})`,
  ['CPU ms', ...stages.flatMap((stage) => [stage, '']), 'kB'],
  bundles.map(({ root, file }, at) => [
    root,
    ...(figures[at] ?? []).flatMap((figure) => [figure.median.toFixed(3), formatSpread(figure)]),
    (statSync(file).size / 1e3).toFixed(1),
  ]),
);
const ratios = stages.map((stage, at) => `${stage} × ${((after[at] ?? 0) / (before[at] ?? 0)).toFixed(3)}`);
console.log(`\nRatios of the interquartile means: ${ratios.join(', ')}`);
rmSync(folder, { recursive: true });
