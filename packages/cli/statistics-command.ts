import type { Command } from 'commander';
import {
  MAX_DAYS,
  type readStatistics,
  type Statistics,
  statisticsQuery,
} from '../../lib/executions/statistics/read-statistics.ts';
import { refuseUnknownWorkflow } from './admin-api.ts';
import { addTo, type CommandContext, type Options, type TargetContext } from './command.ts';
import { formatDollars, formatDuration, toCostLines } from './execution-text.ts';
import { printJson } from './io.ts';
import { JSON_OUTPUT, readId, readQuery } from './read-arguments.ts';
import { printTable, type Table } from './table.ts';

type StatisticsPage = Awaited<ReturnType<typeof readStatistics>> & { readonly timestamp: string };

const PERIOD = [
  ['--workflow <id>', 'of one workflow, with its nodes; of all by default', readId],
  ['--from <time>', 'start of the period (default: a day before its end)'],
  ['--to <time>', `end of the period, at most ${MAX_DAYS} days after its start (default: now)`],
  ['--step <step>', 'hour or day (default: hour)'],
  JSON_OUTPUT,
] as const;

const toQuery = ({ workflow, json: _json, ...period }: Options<typeof PERIOD>) => ({
  ...period,
  workflowId: workflow,
});

/** `statistics`: a line for each hour or day, then the nodes of the workflow. */
export const addStatisticsCommand = (program: Command, context: CommandContext): void =>
  addTo(program, context)('statistics', {
    about: 'show how many executions started and ended, how long they took and what they cost',
    options: PERIOD,
    examples: ['statistics --workflow orders --step day'],
    check: (options) => readQuery(statisticsQuery, toQuery(options)),
    run: printStatistics,
  });

const printStatistics = async (
  { io, target: { api } }: TargetContext,
  options: Options<typeof PERIOD>,
): Promise<void> => {
  const query = toQuery(options);
  const page = await api.call<StatisticsPage>('GET', '/api/admin/statistics', { query });
  if (page.steps.length === 0) await refuseUnknownWorkflow(page.workflowId, api);
  if (options.json === true) return printJson(page, io);
  if (page.steps.length === 0)
    return io.note(`Nothing was counted from ${page.from} to ${page.to}. Counts are a few minutes behind.`);
  printTable(toStepTable(page), io);
  printCost(page, io);
  const refused = Object.entries(page.total.refused);
  if (refused.length > 0) {
    io.print('');
    const rows = refused.map(([code, times]) => [code, `${times}`]);
    printTable({ titles: ['REFUSED', 'REQUESTS'], rows }, io);
  }
  const nodes = Object.entries(page.total.nodes ?? {});
  if (nodes.length === 0) return;
  io.print('');
  const rows = nodes.map(([nodeId, { runs, failed, durationMs }]) => [
    nodeId,
    `${runs}`,
    `${failed}`,
    toTime(durationMs.p50),
    toTime(durationMs.p95),
  ]);
  printTable({ titles: ['NODE', 'RUNS', 'FAILED', 'P50', 'P95'], rows }, io);
};

/** `2026-11-25T04:00` or `2026-11-25`. */
const TIME_LENGTH = { hour: 16, day: 10 } as const;

const toStepTable = ({ steps, total, step }: StatisticsPage): Table => ({
  titles: [
    step.toUpperCase(),
    'STARTED',
    'OK',
    'FAILED',
    'TIMED OUT',
    'CANCELLED',
    'REFUSED',
    'P50',
    'P95',
    'COST',
  ],
  rows: [
    ...steps.map(({ from, ...statistics }) => [from.slice(0, TIME_LENGTH[step]), ...toCells(statistics)]),
    ['total', ...toCells(total)],
  ],
});

const toCells = (statistics: Statistics): readonly string[] => {
  const { started, succeeded, failed, timedOut, cancelled, refused, durationMs, cost } = statistics;
  const refusals = Object.values(refused).reduce((sum, times) => sum + times, 0);
  return [
    ...[started, succeeded, failed, timedOut, cancelled, refusals].map(String),
    toTime(durationMs.p50),
    toTime(durationMs.p95),
    cost === null ? 'unknown' : `${cost.unknown > 0 ? 'over ' : ''}${formatDollars(cost.dollars)}`,
  ];
};

/** What it was that cost, and whose prices were taken. */
const printCost = ({ total: { cost }, prices }: StatisticsPage, io: TargetContext['io']): void => {
  if (cost === null) return;
  io.print('');
  for (const line of toCostLines({ ...cost, prices })) io.print(line.trimStart());
  if (cost.unknown > 0)
    io.note(
      cost.unknown === 1
        ? "1 execution is not in the cost: its record doesn't say what it used."
        : `${cost.unknown} executions are not in the cost: their records don't say what they used.`,
    );
};

const toTime = (ms: number | null): string => (ms === null ? '-' : formatDuration(ms));
