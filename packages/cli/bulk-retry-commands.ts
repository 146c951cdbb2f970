import type { Command } from 'commander';
import type { describeBulkRetry } from '../../lib/executions/bulk/bulk-retry.ts';
import type { BulkPlan } from '../../lib/executions/bulk/plan-bulk-retry.ts';
import { addTo, type CommandContext, type Options, type TargetContext } from './command.ts';
import { CommandError, usageError } from './command-error.ts';
import { confirmOnTerminal, type Io, printJson, printLines } from './io.ts';
import { JSON_OUTPUT, readId, readNumber, readVersionNumber } from './read-arguments.ts';
import { oneLine, printTable } from './table.ts';

const BULK_RETRIES = '/api/admin/bulk-retries';
const RETRY_MANY = '/api/admin/executions/retry';

type BulkRetry = ReturnType<typeof describeBulkRetry>;

type Plan = Omit<BulkPlan, 'executionIds' | 'checkedSince'> & {
  readonly count: number;
  readonly checkedSince: string | null;
  readonly checkedUntil: string;
};

export const addBulkRetryCommands = (program: Command, context: CommandContext): void => {
  const group = program.command('bulk-retry').description('follow and cancel retries of many executions');
  const add = addTo(group, context);

  add('list', {
    about: 'list bulk retries, latest first',
    options: [JSON_OUTPUT],
    examples: ['bulk-retry list'],
    run: async ({ io, target }, { json }) => {
      const bulkRetries = await target.api.list<BulkRetry>(BULK_RETRIES, 'bulkRetries');
      if (json === true) return printJson({ bulkRetries }, io);
      if (bulkRetries.length === 0) return io.note('No bulk retries.');
      const rows = bulkRetries.map((bulk) => [bulk.bulkRetryId, bulk.state, describeCounts(bulk)]);
      printTable({ titles: ['ID', 'STATE', 'PROGRESS'], rows, texts: ['PROGRESS'] }, io);
    },
  });

  add('show', {
    about: 'show how far a bulk retry is, and which executions it could not retry',
    arguments: [BULK_RETRY],
    options: [JSON_OUTPUT],
    examples: ['bulk-retry show ID'],
    run: async (id, { io, target }, { json }) => {
      const found = await target.api.call<BulkRetry>('GET', bulkRetryPath(id));
      if (json === true) printJson(found, io);
      else printLines(toAccount(found), io);
    },
  });

  add('watch', {
    about: 'follow a bulk retry until it ends',
    arguments: [BULK_RETRY],
    examples: ['bulk-retry watch ID'],
    failed: 'not found, or it stopped, or an execution failed again',
    run: watchBulkRetry,
  });

  add('cancel', {
    about: 'cancel a bulk retry; executions that it has started continue',
    arguments: [BULK_RETRY],
    examples: ['bulk-retry cancel ID'],
    run: async (id, { io, target }) => {
      const cancelled = await target.api.call<BulkRetry>('POST', `${bulkRetryPath(id)}/cancel`);
      io.print(`${id}: cancelled, ${describeCounts(cancelled)}`);
    },
  });
};

const BULK_RETRY = ['<id>', 'id of the bulk retry'] as const;

/** Which executions `execution retry` retries without an id, and how. */
export const MANY = [
  ['--workflow <id>', 'all executions of this workflow that match the filter', readId],
  ['--all', 'all executions of all workflows that match the filter'],
  ['--status <names>', 'filter: comma separated (default: failed, timedOut)'],
  ['--from-time <time>', 'filter: started at or after: 2026-01-31, 2026-01-31T09:00:00Z'],
  ['--to-time <time>', 'filter: started at or before'],
  ['--failure-node <node>', 'filter: failed at this node'],
  ['--failure-name <name>', 'filter: failed with this name, such as HttpStatusError'],
  ['--ran-version <number>', 'filter: ran this version of the workflow', readVersionNumber],
  ['--rate <number>', 'executions to start per second: 1 to 100 (default: 10)', readNumber],
  ['--stop-at <share>', 'stop when a greater share fails again: 0 to 1 (default: 0.5)', readNumber],
  ['--dry-run', 'only print what would be retried'],
  ['--yes', "don't ask"],
] as const;

type BulkOptions = Options<typeof MANY> & {
  readonly from?: string;
  readonly failedItems?: true;
  readonly current?: true;
};

const bulkRetryPath = (id: string): string => `${BULK_RETRIES}/${encodeURIComponent(id)}`;

/**
 * Retries many executions: prints the plan, asks on a terminal, and follows the bulk retry to its end. Ctrl+C ends only
 * the command.
 *
 * @throws CommandError when it stops, or an execution fails again
 */
export const retryMany = async (context: TargetContext, options: BulkOptions): Promise<void> => {
  const { io, target } = context;
  const body = toBulkRequest(options);
  const plan = await target.api.call<Plan>('POST', RETRY_MANY, { body: { ...body, dryRun: true } });
  printLines(toPlanLines(plan), io);
  if (options.dryRun === true) return;
  if (plan.count === 0) throw new CommandError('Nothing was started.');
  // What has failed since the plan is not in what was agreed to.
  const agreed = { ...body, filter: { ...body.filter, to: plan.checkedUntil } };
  if (options.yes !== true)
    await confirmOnTerminal(
      `Retry ${plan.count === 1 ? 'it' : `these ${plan.count}`}?`,
      'Nothing was started.',
      io,
    );
  const { bulkRetryId } = await target.api.call<{ readonly bulkRetryId: string }>('POST', RETRY_MANY, {
    body: agreed,
  });
  io.print(`${bulkRetryId}: started`);
  await watchBulkRetry(bulkRetryId, context);
};

/** The body of the request. @throws CommandError for options that don't go together */
const toBulkRequest = (options: BulkOptions) => {
  const { workflow, all, status, failureNode, failureName, from, rate, stopAt } = options;
  if ((workflow === undefined) === (all === undefined))
    throw usageError('Name an execution, or give --workflow ID or --all.');
  const filter = {
    workflowId: workflow,
    all,
    failureNode,
    failureName,
    workflowVersion: options.ranVersion,
    from: options.fromTime,
    to: options.toTime,
    status: status?.split(',').map((one) => one.trim()),
  };
  const version = options.current === true ? 'current' : 'recorded';
  const only = options.failedItems === true ? 'failedItems' : undefined;
  return { filter, from, only, version, rate, stopAtFailedShare: stopAt };
};

const toPlanLines = ({ count, byFailure, effects, refused, checkedSince }: Plan): string[] => [
  count === 1 ? '1 execution to retry' : `${count} executions to retry`,
  ...byFailure.map(({ count: failed, nodeId, name }) =>
    oneLine(nodeId === null ? `  ${failed} without a failure` : `  ${failed} failed at ${nodeId}: ${name}`),
  ),
  ...(effects.length === 0 ? [] : ['Effects on the outside']),
  ...effects.map(({ workflowId, nodeId, type, runsAgain, mayRun }) => {
    const again = runsAgain === 0 ? [] : [`runs again ${runsAgain === 1 ? 'once' : `${runsAgain} times`}`];
    const may =
      mayRun === 0
        ? []
        : [`may run for the first time in ${mayRun === 1 ? 'one execution' : `${mayRun} executions`}`];
    return oneLine(`  ${workflowId}: ${nodeId} (${type}) ${[...again, ...may].join(', ')}`);
  }),
  ...(refused.length === 0 ? [] : ["What can't be retried"]),
  ...refused.map((one) => oneLine(`  ${one.count}: ${one.reason} (${one.executionIds.join(', ')})`)),
  ...(checkedSince === null
    ? []
    : [`These are not all: start with --from-time ${checkedSince}, then retry those before.`]),
];

const describeCounts = ({ counts }: BulkRetry): string =>
  [
    `${counts.succeeded} of ${counts.total} succeeded`,
    `${counts.failedAgain} failed again`,
    ...(counts.open === 0 ? [] : [`${counts.open} not ended`]),
    ...(counts.refused === 0 ? [] : [`${counts.refused} could not be retried`]),
    ...(counts.remaining === 0 ? [] : [`${counts.remaining} not started`]),
  ].join(', ');

const toAccount = (bulk: BulkRetry): string[] => [
  `${bulk.bulkRetryId}: ${bulk.state}`,
  ...(bulk.why === null ? [] : [oneLine(`  why       ${bulk.why}`)]),
  `  started   ${bulk.createdAt}${bulk.by === null ? '' : ` by ${bulk.by}`}`,
  ...(bulk.endedAt === null ? [] : [`  ended     ${bulk.endedAt}`]),
  `  progress  ${describeCounts(bulk)}`,
  ...bulk.refused.map(({ executionId, reason }) => oneLine(`  refused   ${executionId}: ${reason}`)),
  ...(bulk.refusedOmitted > 0 ? [`  refused   ${bulk.refusedOmitted} more`] : []),
];

const POLL_MS = 1_000;

/**
 * Follows a bulk retry until nothing of it runs. Progress goes to standard error when it has changed.
 *
 * @throws CommandError when it stops, or an execution fails again
 */
const watchBulkRetry = async (id: string, { io, target }: TargetContext): Promise<void> => {
  const interrupted: AbortSignal | null = io.isTerminal ? io.untilInterrupted() : null;
  for (let shown = ''; ; await pauseUnlessInterrupted(io, interrupted)) {
    const bulk = await target.api.call<BulkRetry>('GET', bulkRetryPath(id));
    const progress = describeCounts(bulk);
    if (bulk.endedAt !== null) return reportBulkRetry(bulk, io);
    if (progress !== shown) io.note(`${toBar(bulk)} ${progress}`);
    shown = progress;
    if (interrupted?.aborted === true)
      return io.note(
        `It continues. Follow it with: bulk-retry watch ${id}; stop it with: bulk-retry cancel ${id}`,
      );
  }
};

const pauseUnlessInterrupted = async (io: Io, interrupted: AbortSignal | null): Promise<void> => {
  await io.sleep(POLL_MS, interrupted ?? undefined).catch(() => {});
};

const BAR_LENGTH = 20;

const toBar = ({ counts: { total, succeeded, failedAgain, refused } }: BulkRetry): string => {
  const ended = Math.floor(((succeeded + failedAgain + refused) / total) * BAR_LENGTH);
  return `[${'#'.repeat(ended)}${'.'.repeat(BAR_LENGTH - ended)}]`;
};

const reportBulkRetry = (bulk: BulkRetry, io: Io): void => {
  printLines(toAccount(bulk), io);
  if (bulk.state === 'stopped') throw new CommandError(`It stopped: ${bulk.why}.`);
  if (bulk.counts.failedAgain > 0) throw new CommandError(`${bulk.counts.failedAgain} failed again.`);
};
