import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEnvironment, createEvent, order, toChain } from '../bench-service.ts';
import { buildBundle } from '../build-bundle.ts';
import { type Start, startFresh } from '../fresh-process.ts';
import { formatSpread, printTable, toFigure } from '../measure.ts';
import { fourNodes } from './four-nodes.ts';
import { openWebhookOf } from './recorded-request.ts';

const STARTS = 21;

const kinds = [
  ['a bare handler with the same writes', 'scripts/bench/requests/bare-function.ts'],
  ['webhook, four nodes', 'functions/webhook.ts'],
] as const;

const stages = ['node', 'import', 'first', 'second'] as const;

/** A cold start: import, first and second response, in fresh processes. */
export const benchFirstRequest = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-bench-'));
  const { endpoint, writes, stop } = await openWebhookOf(toChain('hello', 'lastNode', fourNodes()));
  const env = { ...createEnvironment('webhook', endpoint), BENCH_WRITES: JSON.stringify(writes) };
  const event = JSON.stringify(createEvent('hello', JSON.stringify(order)));
  const bundles = kinds.map(([title, file], at) => ({
    title,
    file,
    bundle: join(folder, `${at}.cjs`),
    starts: [] as Start[],
  }));
  for (const { file, bundle } of bundles) await buildBundle(file, bundle);
  for (let round = 0; round < STARTS; round++) {
    for (const { bundle, starts } of bundles) starts.push(startFresh(bundle, env, event));
  }
  stop();
  rmSync(folder, { recursive: true });

  const toRow = ({ title, starts }: (typeof bundles)[number]) => ({
    title,
    figures: stages.map((stage) => toFigure(starts.map((one) => one[stage]))),
    sum: toFigure(starts.map((one) => one.import + one.first)),
  });
  const rows = bundles.map(toRow);
  printTable(
    `The first request, in fresh processes (median of ${STARTS})`,
    ['CPU ms', 'Node itself', 'import', 'first answer', 'second', 'import and first answer', '', '× bare'],
    rows.map(({ title, figures, sum }) => [
      title,
      ...figures.map(({ median }) => median.toFixed(1)),
      sum.median.toFixed(1),
      formatSpread(sum),
      (sum.median / (rows[0]?.sum.median ?? Number.NaN)).toFixed(2),
    ]),
  );
};
