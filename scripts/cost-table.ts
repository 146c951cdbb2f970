import { toAlarms } from '../resources/alarms.ts';
import type { Template } from '../resources/cloudformation.ts';
import { readStageTemplate } from '../tests/support/a-stage-template.ts';
import { metricsOfAlarm } from '../tests/support/template-metrics.ts';
import { countStatistics } from './bench/units/statistics.ts';
import { countUnits } from './bench/units/writes.ts';
import type { BilledRun } from './cost/billed-run.ts';
import { printCostTables } from './cost/cost-tables.ts';
import { updatePages } from './cost/places.ts';

// Computes the tables of the section "Cost" from units counted at the embedded DynamoDB and from operations and bytes
// counted at the durable engine. With `--check`, writes nothing and exits with 1 when the page differs.

type CountedRun = Awaited<ReturnType<typeof countUnits>>[number];

/** Rounds a size, since byte counts vary between runs, because of ports, durations and compression. */
const inSteps = (bytes: number, step: number): number => Math.ceil(bytes / step) * step;

const toBilledRun = ({ chain, stored, background, ...counted }: CountedRun): BilledRun => ({
  ...counted,
  stored: { ...stored, executions: inSteps(stored.executions, 256), blobs: inSteps(stored.blobs, 256) },
  background: background === null ? null : { ...background, bytes: inSteps(background.bytes, 250) },
  nodes: chain.length,
  effectfulNodes: chain.filter(({ type }) => type === 'httpRequest').length,
  waitSeconds: chain.reduce((sum, { parameters }) => sum + Number(parameters.seconds ?? 0), 0),
});

/** Account quotas, which don't affect the number of alarms. */
const quotas = { concurrency: 1_000, durableStarts: 300 };

/** Counts the metrics in alarms, since each is billed; without those of an optional function. */
const countAlarmMetrics = (): number => {
  const template = readStageTemplate() as Template;
  const { ExportTracesLambdaFunction: _optional, ...Resources } = template.Resources;
  return Object.values(toAlarms({ ...template, Resources }, 'stage', 'topic', quotas)).flatMap(metricsOfAlarm)
    .length;
};

const runs = (await countUnits()).map(toBilledRun);
const tables = printCostTables(runs, countAlarmMetrics(), await countStatistics());
updatePages({ 'docs/operating.md': tables }, 'docs:cost');
