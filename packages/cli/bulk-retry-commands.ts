import type { Command } from 'commander';
import type { describeBulkRetry } from '../../lib/executions/bulk/bulk-retry.ts';
import type { BulkPlan } from '../../lib/executions/bulk/plan-bulk-retry.ts';
import type { CommandContext, TargetContext } from './command-context.ts';
import { CommandError, EXIT, usageError } from './command-error.ts';
import { explain } from './help.ts';
import type { Io } from './io.ts';
import { oneLine, printTable } from './table.ts';

const BULK_RETRIES = '/api/admin/bulk-retries';
const RETRY_MANY = '/api/admin/executions/retry';

type BulkRetry = ReturnType<typeof describeBulkRetry>;

type Plan = Omit<BulkPlan, 'executionIds' | 'checkedSince'> & {
  readonly count: number;
  readonly checkedSince: string | null;
  readonly checkedUntil: string;
};

/** The options of a retry of many executions, as `execution retry` takes them. */
export interface BulkOptions {
  readonly workflow?: string;
  readonly all?: true;
  readonly status?: string;
  readonly fromTime?: string;
  readonly toTime?: string;
  readonly failureNode?: string;
  readonly failureName?: string;
  readonly ranVersion?: number;
  readonly from?: string;
  readonly current?: true;
  readonly rate?: number;
  readonly stopAt?: number;
  readonly dryRun?: true;
  readonly yes?: true;
}

export const addBulkRetryCommands = (program: Command, { onTarget }: CommandContext): void => {
  const bulk = program.command('bulk-retry').description('follow and cancel retries of many executions');

  bulk
    .command('list')
    .description('list bulk retries, latest first')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['bulk-retry list']))
    .action(({ json }: { readonly json?: true }) => onTarget((context) => list(json === true, context)));

  bulk
    .command('show')
    .description('show how far a bulk retry is, and which executions it could not retry')
    .argument('<id>', 'id of the bulk retry')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['bulk-retry show ID']))
    .action((id: string, { json }: { readonly json?: true }) =>
      onTarget(async ({ io, target }) => {
        const found = await target.api.call<BulkRetry>('GET', toPath(id));
        if (json === true) return io.print(JSON.stringify(found, null, 2));
        for (const line of toAccount(found)) io.print(line);
      }),
    );

  bulk
    .command('watch')
    .description('follow a bulk retry until it ends')
    .argument('<id>', 'id of the bulk retry')
    .addHelpText(
      'after',
      explain(['bulk-retry watch ID'], { failed: 'not found, or it stopped, or an execution failed again' }),
    )
    .action((id: string) => onTarget((context) => watchBulkRetry(id, context)));

  bulk
    .command('cancel')
    .description('cancel a bulk retry; executions that it has started continue')
    .argument('<id>', 'id of the bulk retry')
    .addHelpText('after', explain(['bulk-retry cancel ID']))
    .action((id: string) =>
      onTarget(async ({ io, target }) => {
        io.print(
          `${id}: cancelled, ${describeCounts(await target.api.call('POST', `${toPath(id)}/cancel`))}`,
        );
      }),
    );
};

const toPath = (id: string): string => `${BULK_RETRIES}/${encodeURIComponent(id)}`;

/**
 * Retries many executions: prints the plan, asks on a terminal, and follows the bulk retry to its end. Ctrl+C ends only
 * the command.
 *
 * @throws CommandError when it stops, or an execution fails again
 */
export const retryMany = async (options: BulkOptions, context: TargetContext): Promise<void> => {
  const { io, target } = context;
  const body = toRequest(options);
  const plan = await target.api.call<Plan>('POST', RETRY_MANY, { body: { ...body, dryRun: true } });
  for (const line of toPlanLines(plan)) io.print(line);
  if (options.dryRun === true) return;
  if (plan.count === 0) throw new CommandError('Nothing was started.');
  // What has failed since the plan is not in what was agreed to.
  const agreed = { ...body, filter: { ...body.filter, to: plan.checkedUntil } };
  if (options.yes !== true && io.isTerminal) {
    const answer = await io.ask(`Retry ${plan.count === 1 ? 'it' : `these ${plan.count}`}? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was started.', EXIT.failed);
  }
  const { bulkRetryId } = await target.api.call<{ readonly bulkRetryId: string }>('POST', RETRY_MANY, {
    body: agreed,
  });
  io.print(`${bulkRetryId}: started`);
  await watchBulkRetry(bulkRetryId, context);
};

/** The body of the request. @throws CommandError for options that don't go together */
const toRequest = (options: BulkOptions) => {
  const { workflow, all, status, failureNode, failureName, from, rate, stopAt } = options;
  if ((workflow === undefined) === (all === undefined))
    throw usageError('Name an execution, or give --workflow ID or --all.');
  const filter = {
    ...{ workflowId: workflow, all, failureNode, failureName, workflowVersion: options.ranVersion },
    ...{ from: options.fromTime, to: options.toTime },
    status: status?.split(',').map((one) => one.trim()),
  };
  const version = options.current === true ? 'current' : 'recorded';
  return { filter, from, version, rate, stopAtFailedShare: stopAt };
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

const list = async (asJson: boolean, { io, target }: TargetContext): Promise<void> => {
  const bulkRetries = await target.api.list<BulkRetry>(BULK_RETRIES, 'bulkRetries');
  if (asJson) return io.print(JSON.stringify({ bulkRetries }, null, 2));
  if (bulkRetries.length === 0) return io.note('No bulk retries.');
  const rows = bulkRetries.map((bulk) => [bulk.bulkRetryId, bulk.state, describeCounts(bulk)]);
  printTable({ titles: ['ID', 'STATE', 'PROGRESS'], rows, texts: ['PROGRESS'] }, io);
};

const POLL_MS = 1_000;

/**
 * Follows a bulk retry until nothing of it runs. Progress goes to standard error when it has changed.
 *
 * @throws CommandError when it stops, or an execution fails again
 */
const watchBulkRetry = async (id: string, { io, target }: TargetContext): Promise<void> => {
  const interrupted: AbortSignal | null = io.isTerminal ? io.untilInterrupted() : null;
  for (let shown = ''; ; await pause(io, interrupted)) {
    const bulk = await target.api.call<BulkRetry>('GET', toPath(id));
    const progress = describeCounts(bulk);
    if (bulk.endedAt !== null) return report(bulk, io);
    if (progress !== shown) io.note(`${toBar(bulk)} ${progress}`);
    shown = progress;
    if (interrupted?.aborted === true)
      return io.note(
        `It continues. Follow it with: bulk-retry watch ${id}; stop it with: bulk-retry cancel ${id}`,
      );
  }
};

const pause = async (io: Io, interrupted: AbortSignal | null): Promise<void> => {
  await io.sleep(POLL_MS, interrupted ?? undefined).catch(() => {});
};

const BAR_LENGTH = 20;

const toBar = ({ counts: { total, succeeded, failedAgain, refused } }: BulkRetry): string => {
  const ended = Math.floor(((succeeded + failedAgain + refused) / total) * BAR_LENGTH);
  return `[${'#'.repeat(ended)}${'.'.repeat(BAR_LENGTH - ended)}]`;
};

const report = (bulk: BulkRetry, io: Io): void => {
  for (const line of toAccount(bulk)) io.print(line);
  if (bulk.state === 'stopped') throw new CommandError(`It stopped: ${bulk.why}.`);
  if (bulk.counts.failedAgain > 0) throw new CommandError(`${bulk.counts.failedAgain} failed again.`);
};
