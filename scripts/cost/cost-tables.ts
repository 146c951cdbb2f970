import type { BilledRun, StatisticsUnits } from './billed-run.ts';
import {
  computeCost,
  computeExpressCost,
  computeFixedCost,
  computeMonthlyCost,
  computeStandardCost,
  totalOf,
} from './compute-cost.ts';
import { markdownTable } from './places.ts';
import { assumptions, prices } from './prices.ts';

/** The page's tables in Markdown, by the names of their places. */
export const printCostTables = (
  runs: readonly BilledRun[],
  alarmMetrics: number,
  statistics: readonly StatisticsUnits[],
): Readonly<Record<string, string>> => ({
  'cost-totals': markdownTable(
    ['a million runs', 'Hookloom', 'with an event bus', 'Step Functions Standard', 'Step Functions Express'],
    runs.map(toTotals),
  ),
  'cost-parts': markdownTable(
    ['a million runs', 'gateway', 'Lambda', 'durable engine', 'DynamoDB', 'bucket', 'logs'],
    runs.map(toParts),
  ),
  'cost-monthly': markdownTable(
    [
      'a month',
      'runs a second',
      'gateway',
      'Lambda',
      'durable engine',
      'DynamoDB',
      'logs',
      'records',
      'point-in-time recovery',
      'bucket',
      'total',
    ],
    runs
      .filter(({ title }) => MONTHLY.includes(title))
      .flatMap((run) => RATES.map((rate) => toMonthly(run, rate))),
  ),
  'cost-fixed': markdownTable(
    ['a month, regardless of load', 'dollars'],
    Object.entries(computeFixedCost(alarmMetrics)).map(([name, dollars]) => [name, dollars.toFixed(2)]),
  ),
  'cost-statistics': markdownTable(
    ['executions of a workflow in five minutes, per shard', 'write units for each, 3 nodes', '20 nodes'],
    statistics.map(({ rate, writeUnits }) => [
      rate.toLocaleString('en-US'),
      ...writeUnits.map((units) => units.toLocaleString('en-US', { maximumSignificantDigits: 2 })),
    ]),
  ),
  'cost-assumptions': markdownTable(
    ['assumption', ''],
    Object.values(assumptions).map(({ of, value, unit }) => [of, `${value.toLocaleString('en-US')} ${unit}`]),
  ),
  'cost-prices': markdownTable(
    ['price of', 'dollars', 'per'],
    Object.values(prices).map(({ of, dollars, per, page }) => [
      `[${of}](${page})`,
      String(dollars),
      per.toLocaleString('en-US'),
    ]),
  ),
});

/** Kinds of runs whose month is shown. */
const MONTHLY: readonly string[] = [
  'synchronous, 3 pure nodes',
  'express, 3 pure nodes',
  'express, a request of 50 kB',
  'durable, 5 effectful nodes',
  'durable, a wait of a minute',
];

const RATES = [1, 10, 100, 1_000];

const toMonthly = (run: BilledRun, runsPerSecond: number): readonly string[] => {
  const cost = computeMonthlyCost(run, runsPerSecond);
  const { gateway, lambda, durable, dynamodb, logs, tables, recovery, bucket } = cost;
  const parts = [gateway, lambda, durable, dynamodb, logs, tables, recovery, bucket];
  const all = parts.reduce((sum, part) => sum + part, 0);
  return [
    run.title,
    runsPerSecond.toLocaleString('en-US'),
    ...parts.map((part) => (part === 0 ? '' : formatDollars(part))),
    formatDollars(all),
  ];
};

const toTotals = (run: BilledRun): readonly string[] => [
  run.title,
  formatMillion(totalOf(computeCost(run, false))),
  formatMillion(totalOf(computeCost(run, true))),
  formatMillion(computeStandardCost(run)),
  formatMillion(computeExpressCost(run)),
];

const toParts = (run: BilledRun): readonly string[] => {
  const { gateway, lambda, durable, dynamodb, bucket, logs } = computeCost(run, false);
  const { operations = 0, bytes = 0 } = run.background ?? {};
  const { writeUnits, readUnits } = run.units;
  const written = bytes === 0 ? '' : `, ${(bytes / 1_000).toFixed(2)} kB`;
  return [
    run.title,
    formatMillion(gateway),
    formatMillion(lambda),
    operations === 0 ? '' : `${formatMillion(durable)} (${formatCount(operations, 'operation')}${written})`,
    `${formatMillion(dynamodb)} (${formatCount(writeUnits, 'write unit')}, ${formatCount(readUnits, 'read unit')})`,
    bucket === 0 ? '' : formatMillion(bucket),
    formatMillion(logs),
  ];
};

/**
 * @param dollars - of one run
 * @returns the dollars for a million runs: with cents where they matter; a dash for null
 *
 * @internal
 */
export const formatMillion = (dollars: number | null): string =>
  dollars === null ? '–' : formatDollars(dollars * 1e6);

const formatDollars = (dollars: number): string => {
  const digits = dollars < 100 ? 2 : 0;
  return dollars.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};

const formatCount = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;
