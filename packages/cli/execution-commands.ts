import { randomUUID } from 'node:crypto';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { Command } from 'commander';
import type { NodeRecord } from '../../lib/engine/result.ts';
import type { ExecutionComparison } from '../../lib/executions/explain/compare-executions.ts';
import { keyedListQuery } from '../../lib/executions/lifecycle/list-executions.ts';
import {
  EXECUTION_STATUSES,
  type ExecutionStatus,
  isFinal,
} from '../../lib/executions/record/execution-store.ts';
import { type AdminApi, ApiProblem } from './admin-api.ts';
import { type BulkOptions, retryMany } from './bulk-retry-commands.ts';
import {
  type CommandContext,
  EARLIER_NOTE,
  refuseUnknownWorkflow,
  type TargetContext,
} from './command-context.ts';
import { CommandError, usageError } from './command-error.ts';
import {
  colourOf,
  describeFailure,
  describeNode,
  type ListedExecution,
  type ShownExecution,
  type ShownNode,
  toAccount,
  toComparison,
  toExecutionTable,
  toIso,
} from './execution-text.ts';
import { explain } from './help.ts';
import type { Io } from './io.ts';
import { parseJson } from './parse-json.ts';
import { WORKFLOWS } from './put-workflows.ts';
import { LIMIT, readId, readQuery, readVersionNumber } from './read-arguments.ts';
import { readInput } from './read-file.ts';
import { printTable } from './table.ts';

export const EXECUTIONS = '/api/admin/executions';

export const addExecutionCommands = (program: Command, { onTarget }: CommandContext): void => {
  const execution = program.command('execution').description('list, follow, retry and cancel executions');

  execution
    .command('list')
    .description('list executions, latest first')
    .option('--workflow <id>', 'only executions of this workflow', readId)
    .option('--status <names>', `comma separated: ${EXECUTION_STATUSES.join(', ')}`)
    .option('--key <key>', 'only the execution of the delivery with this key; needs --workflow')
    .option('--request <id>', 'only the execution of the request with this gateway id; needs --workflow')
    .option('--failure-node <node>', 'failed at this node')
    .option('--failure-name <name>', 'failed with this name, such as HttpStatusError')
    .option('--bulk-retry <id>', 'started by this bulk retry')
    .option('--from <time>', 'started at or after: 2026-01-31, 2026-01-31T09:00:00Z')
    .option('--to <time>', 'started at or before')
    .option('--limit <number>', LIMIT)
    .option('--cursor <cursor>', 'continue where a list ended')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['execution list --status failed --from 2026-01-31']))
    .action(async (options: ListOptions) => {
      const { workflow, bulkRetry, json, ...fields } = options;
      const query = { workflowId: workflow, bulkRetryId: bulkRetry, ...fields };
      readQuery(keyedListQuery, query);
      await onTarget((context) => list(query, json === true, context));
    });

  execution
    .command('show')
    .description('show an execution node by node')
    .argument('<id>', 'id of the execution', readId)
    .option('--why', 'also show why each node did what it did')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['execution show ID --why']))
    .action((id: string, options: ShowOptions) => onTarget((context) => show(id, options, context)));

  execution
    .command('compare')
    .description('show what an execution did differently from another one of its workflow')
    .argument('<id>', 'id of the execution', readId)
    .option('--with <id>', "the execution to compare with (default: the workflow's last success)", readId)
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['execution compare ID']))
    .action((id: string, options: CompareOptions) => onTarget((context) => compare(id, options, context)));

  execution
    .command('watch')
    .description('follow an execution live, until it ends')
    .argument('<id>', 'id of the execution', readId)
    .addHelpText(
      'after',
      explain(['execution watch ID'], { failed: 'not found, or the execution did not succeed' }),
    )
    .action((id: string) => onTarget((context) => watch(id, context)));

  execution
    .command('retry')
    .description('run an execution again, or all that match a filter')
    .argument('[id]', 'id of the execution; without it, --workflow or --all', readId)
    .option('--from <node>', 'start at this node, reusing the results before it')
    .option('--current', "the workflow's current version instead of the recorded one")
    .option('--input <file>', "JSON with the fields of the trigger's input to replace; - for standard input")
    .option(
      '--idempotency-key <key>',
      'the same for a repeated retry of ID, which starts nothing (default: a new one)',
    )
    .option('--workflow <id>', 'all executions of this workflow that match the filter', readId)
    .option('--all', 'all executions of all workflows that match the filter')
    .option('--status <names>', 'filter: comma separated (default: failed, timedOut)')
    .option('--from-time <time>', 'filter: started at or after: 2026-01-31, 2026-01-31T09:00:00Z')
    .option('--to-time <time>', 'filter: started at or before')
    .option('--failure-node <node>', 'filter: failed at this node')
    .option('--failure-name <name>', 'filter: failed with this name, such as HttpStatusError')
    .option('--ran-version <number>', 'filter: ran this version of the workflow', readVersionNumber)
    .option('--rate <number>', 'executions to start per second: 1 to 100 (default: 10)', readNumber)
    .option('--stop-at <share>', 'stop when a greater share fails again: 0 to 1 (default: 0.5)', readNumber)
    .option('--dry-run', 'only print what would be retried')
    .option('--yes', "don't ask")
    .addHelpText(
      'after',
      explain(['execution retry ID --current', 'execution retry --workflow hello --dry-run'], {
        failed: 'refused or not found; of several, it stopped, or one failed again',
      }),
    )
    .action(async (id: string | undefined, options: RetryOptions & BulkOptions) => {
      const filter = ONLY_MANY.find((name) => options[name] !== undefined);
      const ofOne = options.input ?? options.idempotencyKey;
      if (id === undefined ? ofOne !== undefined : filter !== undefined)
        throw usageError(
          '--input and --idempotency-key need an id, and an id takes no filters: see execution retry --help.',
        );
      await onTarget((context) =>
        id === undefined ? retryMany(options, context) : retry(id, options, context),
      );
    });

  execution
    .command('cancel')
    .description('cancel an execution')
    .argument('<id>', 'id of the execution', readId)
    .addHelpText('after', explain(['execution cancel ID'], { failed: 'not found, or it has ended' }))
    .action((id: string) => onTarget((context) => cancel(id, context)));
};

const readNumber = (given: string): number => {
  const number = Number(given);
  if (given.trim() === '' || Number.isNaN(number))
    throw usageError(`${JSON.stringify(given)} is not a number.`);
  return number;
};

/** What `execution retry` takes only without an id. */
const ONLY_MANY = [
  ...(['workflow', 'all', 'status', 'fromTime', 'toTime', 'failureNode', 'failureName'] as const),
  ...(['ranVersion', 'rate', 'stopAt', 'dryRun', 'yes'] as const),
];

interface ShowOptions {
  readonly why?: true;
  readonly json?: true;
}

interface CompareOptions {
  readonly with?: string;
  readonly json?: true;
}

interface RetryOptions {
  readonly idempotencyKey?: string;
  readonly input?: string;
  readonly from?: string;
  readonly current?: true;
}

interface ListFilters {
  readonly status?: string;
  readonly key?: string;
  readonly request?: string;
  readonly failureNode?: string;
  readonly failureName?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

interface ListOptions extends ListFilters {
  readonly workflow?: string;
  readonly bulkRetry?: string;
  readonly json?: true;
}

interface ListAnswer {
  readonly executions: readonly ListedExecution[];
  readonly nextCursor: string | null;
  readonly omitsEarlier?: true;
}

const list = async (
  query: ListFilters & { readonly workflowId: string | undefined; readonly bulkRetryId: string | undefined },
  asJson: boolean,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  const answer = await target.api.call<ListAnswer>('GET', EXECUTIONS, { query: { ...query } });
  const { executions, nextCursor, omitsEarlier } = answer;
  if (omitsEarlier === true) io.note(EARLIER_NOTE);
  if (executions.length === 0) await refuseUnknownWorkflow(query.workflowId ?? null, context);
  if (asJson) return io.print(JSON.stringify({ executions, nextCursor }, null, 2));
  if (executions.length > 0) printTable(toExecutionTable(executions), io);
  else io.note(nextCursor === null ? 'No matching executions.' : 'None on this page.');
  if (nextCursor !== null) io.note(`There may be more: --cursor ${nextCursor}`);
};

const find = (api: AdminApi, id: string): Promise<ShownExecution> => api.call('GET', `${EXECUTIONS}/${id}`);

const show = async (id: string, { why, json }: ShowOptions, { io, target }: TargetContext): Promise<void> => {
  const execution = await find(target.api, id);
  if (json === true) return io.print(JSON.stringify(execution, null, 2));
  for (const line of toAccount(execution, why === true)) io.print(line);
  if (why === true && execution.reasonsOmitted > 0)
    io.note(`${execution.reasonsOmitted} reasons are omitted because of their size.`);
};

const compare = async (
  id: string,
  { with: otherId, json }: CompareOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  const path = `${EXECUTIONS}/${id}/comparison`;
  const comparison = await target.api.call<ExecutionComparison>('GET', path, { query: { with: otherId } });
  if (json === true) return io.print(JSON.stringify(comparison, null, 2));
  for (const line of toComparison(comparison)) io.print(line);
};

interface StartedExecution {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
}

const retry = async (
  id: string,
  { from, current, input, idempotencyKey = randomUUID() }: RetryOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  const query = { from, version: current === true ? 'current' : 'recorded' };
  const edited =
    input === undefined ? {} : { body: { input: await readObject(input, 'the edited input', io) } };
  const request = { query, headers: { 'idempotency-key': idempotencyKey }, ...edited };
  const path = `${EXECUTIONS}/${id}/retry`;
  const started = await target.api
    .call<StartedExecution & { readonly duplicate?: true }>('POST', path, request)
    .catch((error: unknown) => {
      const isRefused = error instanceof ApiProblem && error.status < 500;
      if (!isRefused) io.note(`To repeat it, so that it starts one run: --idempotency-key ${idempotencyKey}`);
      throw error;
    });
  if (started.duplicate === true)
    io.note('An earlier request with this key has started it; nothing else was started.');
  printStarted(started, io);
};

/** Prints what was accepted, and how to follow it. */
export const printStarted = (
  { executionId, workflowId, workflowVersion }: StartedExecution,
  io: Pick<Io, 'print' | 'note'>,
): void => {
  io.print(`${executionId}: accepted, version ${workflowVersion} of ${workflowId}`);
  io.note(`Follow it with: execution watch ${executionId}`);
};

const cancel = async (id: string, { io, target }: TargetContext): Promise<void> => {
  const path = `${EXECUTIONS}/${id}/cancel`;
  const { stopped } = await target.api.call<{ readonly stopped?: false }>('POST', path);
  if (stopped === false) io.note(io.paint('yellow', 'The durable execution could not be stopped.'));
  io.print(`${id}: cancelled`);
};

/**
 * Follows an execution until it ends; Ctrl+C stops only the command.
 *
 * @throws CommandError when the execution does not succeed
 */
const watch = async (id: string, { io, target }: TargetContext): Promise<void> => {
  await watchExecution(() => find(target.api, id), io);
};

interface WithOutput {
  readonly output?: JsonValue;
}

export interface RunOptions {
  /** The trigger to start from; defaults to the only one. */
  readonly trigger?: string;
  /** A file with the input; `-` is standard input; defaults to `{}`. */
  readonly input?: string;
  readonly wait?: boolean;
}

/** Most executions end within this; longer ones are followed live. */
const WAIT_SECONDS = 2;

/**
 * Starts a workflow by hand. With `wait`, follows it to its end on standard error and prints only its output.
 *
 * @throws CommandError when the input is wrong, or the execution does not succeed
 */
export const runWorkflow = async (
  workflowId: string,
  { trigger, input, wait = false }: RunOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  const request = {
    query: { trigger },
    headers: wait ? { prefer: `wait=${WAIT_SECONDS}` } : {},
    body: input === undefined ? {} : await readObject(input, 'the input of a trigger', io),
  };
  const path = `${WORKFLOWS}/${workflowId}/executions`;
  const started = await target.api.call<StartedExecution & WithOutput>('POST', path, request);
  if (!wait) return printStarted(started, io);
  const { executionId, workflowVersion } = started;
  io.note(`${executionId}: accepted, version ${workflowVersion} of ${workflowId}`);
  await watchExecution(() => find(target.api, executionId), { ...io, print: io.note, paintOut: io.paint });
  const { output } =
    started.output === undefined
      ? await target.api.call<WithOutput>('GET', `${EXECUTIONS}/${executionId}/result`)
      : started;
  io.print(JSON.stringify(output ?? {}, null, 2));
};

/** Reads a JSON object from a file; `-` is standard input. @param what - it is, for messages. @throws CommandError */
export const readObject = async (file: string, what: string, io: Io): Promise<JsonObject> => {
  const { name, text } = await readInput(file, io);
  const input = parseJson(text, name);
  if (isPlainObject(input)) return input as JsonObject;
  throw new CommandError(`${name}: ${what} must be a JSON object`);
};

const POLL_MS = 500;

/**
 * Polls an execution until it ends, and prints each node as it starts, waits and ends.
 *
 * @param look - reads the execution
 * @throws CommandError when the execution does not succeed
 */
const watchExecution = async (
  look: () => Promise<ShownExecution>,
  io: Pick<Io, 'print' | 'paintOut' | 'now' | 'sleep'>,
): Promise<ShownExecution> => {
  const seen = new Map<string, NodeRecord['status']>();
  const print = (time: string, status: ExecutionStatus | NodeRecord['status'], text: string): void => {
    const colour = colourOf(status);
    io.print(`${time}  ${colour === null ? text : io.paintOut(colour, text)}`);
  };
  for (let status: ExecutionStatus | null = null; ; await io.sleep(POLL_MS)) {
    const execution = await look();
    for (const node of execution.nodes) {
      const name = `${node.within ?? ''}/${node.nodeId}/${node.iteration}`;
      if (seen.get(name) === node.status) continue;
      seen.set(name, node.status);
      print(timeOf(node), node.status, describeNode(node));
    }
    if (execution.status !== status) {
      status = execution.status;
      const time = status === 'accepted' ? execution.startedAt : (execution.endedAt ?? toIso(io.now()));
      print(time, status, `${execution.executionId}: ${status}`);
    }
    if (status === 'succeeded') return execution;
    if (isFinal(status)) {
      const { failure } = execution;
      throw new CommandError(failure === null ? `It ended as ${status}.` : describeFailure(failure));
    }
  }
};

/** The time of a node's last status change. */
const timeOf = ({ status, startedAt, durationMs }: ShownNode): string =>
  status === 'running' || status === 'waiting' ? startedAt : toIso(Date.parse(startedAt) + durationMs);
