import type { Command } from 'commander';
import {
  MAX_DAYS,
  type readStatistics,
  type Statistics,
  statisticsQuery,
} from '../../lib/executions/statistics/read-statistics.ts';
import { type CommandContext, refuseUnknownWorkflow, type TargetContext } from './command-context.ts';
import { formatDuration } from './execution-text.ts';
import { explain } from './help.ts';
import { readId, readQuery } from './read-arguments.ts';
import { printTable, type Table } from './table.ts';

type StatisticsPage = Awaited<ReturnType<typeof readStatistics>> & { readonly timestamp: string };

interface Options extends Readonly<Partial<Record<'workflow' | 'from' | 'to' | 'step', string>>> {
  readonly json?: true;
}

/** `statistics`: a line for each hour or day, then the nodes of the workflow. */
export const addStatisticsCommand = (program: Command, { onTarget }: CommandContext): void => {
  program
    .command('statistics')
    .description('show how many executions started and ended, and how long they took')
    .option('--workflow <id>', 'of one workflow, with its nodes; of all by default', readId)
    .option('--from <time>', 'start of the period (default: a day before its end)')
    .option('--to <time>', `end of the period, at most ${MAX_DAYS} days after its start (default: now)`)
    .option('--step <step>', 'hour or day (default: hour)')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['statistics --workflow orders --step day']))
    .action(async ({ json, workflow, ...period }: Options) => {
      const query = { ...period, ...(workflow === undefined ? {} : { workflowId: workflow }) };
      readQuery(statisticsQuery, query);
      await onTarget((context) => show(query, json === true, context));
    });
};

const show = async (
  query: Readonly<Record<string, string>>,
  asJson: boolean,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  const page = await target.api.call<StatisticsPage>('GET', '/api/admin/statistics', { query });
  if (page.steps.length === 0) await refuseUnknownWorkflow(page.workflowId, context);
  if (asJson) return io.print(JSON.stringify(page, null, 2));
  if (page.steps.length === 0)
    return io.note(`Nothing was counted from ${page.from} to ${page.to}. Counts are a few minutes behind.`);
  printTable(toStepTable(page), io);
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
    ...[nodeId, `${runs}`, `${failed}`],
    ...[toTime(durationMs.p50), toTime(durationMs.p95)],
  ]);
  printTable({ titles: ['NODE', 'RUNS', 'FAILED', 'P50', 'P95'], rows }, io);
};

/** `2026-11-25T04:00` or `2026-11-25`. */
const TIME_LENGTH = { hour: 16, day: 10 } as const;

const toStepTable = ({ steps, total, step }: StatisticsPage): Table => ({
  titles: [step.toUpperCase(), 'STARTED', 'OK', 'FAILED', 'TIMED OUT', 'CANCELLED', 'REFUSED', 'P50', 'P95'],
  rows: [
    ...steps.map(({ from, ...statistics }) => [from.slice(0, TIME_LENGTH[step]), ...toCells(statistics)]),
    ['total', ...toCells(total)],
  ],
});

const toCells = (statistics: Statistics): readonly string[] => {
  const { started, succeeded, failed, timedOut, cancelled, refused, durationMs } = statistics;
  const refusals = Object.values(refused).reduce((sum, times) => sum + times, 0);
  return [
    ...[started, succeeded, failed, timedOut, cancelled, refusals].map(String),
    ...[toTime(durationMs.p50), toTime(durationMs.p95)],
  ];
};

const toTime = (ms: number | null): string => (ms === null ? '-' : formatDuration(ms));
