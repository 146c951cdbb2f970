import { isPlainObject, type JsonObject, type Logger } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { Command } from 'commander';
import { randomIds } from '../lib/adapters/runtime/random-ids.ts';
import { compareWith } from '../lib/admin/compare-executions.ts';
import { describeExplained, explainExecution } from '../lib/admin/explain-execution.ts';
import { toRetry } from '../lib/app/compose/admin.ts';
import type { NodeRecord } from '../lib/engine/result.ts';
import { cancelExecution } from '../lib/executions/lifecycle/cancel-execution.ts';
import { findReconciledExecution } from '../lib/executions/lifecycle/finish-execution.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../lib/executions/lifecycle/list-executions.ts';
import { type RetryOptions, retryExecution } from '../lib/executions/lifecycle/retry-execution.ts';
import { describeSummary } from '../lib/executions/record/describe-execution.ts';
import {
  EXECUTION_STATUSES,
  type ExecutionEvents,
  type ExecutionRecord,
  type ExecutionStatus,
  isFinal,
} from '../lib/executions/record/execution-store.ts';
import { isInBlob, unpackText } from '../lib/executions/record/pack-value.ts';
import { EVENT_NOT_PUBLISHED, NOT_STARTABLE } from '../lib/shared/error-catalogue.ts';
import { AppError } from '../lib/shared/errors.ts';
import { startByHand } from '../lib/triggers/start-by-hand.ts';
import { type KeyedListQuery, keyedListQuery, listKeyed } from '../lib/webhooks/requests/list-keyed.ts';
import {
  type CommandContext,
  EARLIER_NOTE,
  refuseUnknownWorkflow,
  type TargetContext,
} from './command-context.ts';
import { CommandError } from './command-error.ts';
import {
  colourOf,
  describeFailure,
  describeNode,
  toAccount,
  toComparison,
  toIso,
  toTable,
} from './execution-text.ts';
import type { Io } from './io.ts';
import { parseJson } from './parse-json.ts';
import { readId, readQuery } from './read-arguments.ts';
import { readInput } from './read-file.ts';

export const addExecutionCommands = (program: Command, { loadNodeTypes, onTarget }: CommandContext): void => {
  const execution = program.command('execution').description('list, follow, retry and cancel executions');

  execution
    .command('list')
    .description('list executions, latest first')
    .option('--workflow <id>', 'only approvals of this workflow', readId)
    .option('--status <names>', `comma separated: ${EXECUTION_STATUSES.join(', ')}`)
    .option('--key <key>', 'only the execution of the delivery with this key; needs --workflow')
    .option('--request <id>', 'only the execution of the request with this gateway id; needs --workflow')
    .option('--from <time>', 'started at or after: 2026-01-31, 2026-01-31T09:00:00Z')
    .option('--to <time>', 'started at or before')
    .option('--limit <number>', `how many: 1 to ${MAX_LIMIT} (default: ${DEFAULT_LIMIT})`)
    .option('--cursor <cursor>', 'continue where a list ended')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => {
      const { workflow, json, ...fields } = options;
      const query = readQuery(keyedListQuery, { workflowId: workflow, ...fields });
      await onTarget((context) => list(query, json === true, context));
    });

  execution
    .command('show')
    .description('show an execution node by node')
    .argument('<id>', 'id of the execution', readId)
    .option('--why', 'also show why each node did what it did')
    .option('--json', 'print JSON')
    .action((id: string, options: ShowOptions) => onTarget((context) => show(id, options, context)));

  execution
    .command('compare')
    .description('show what an execution did differently from another one of its workflow')
    .argument('<id>', 'id of the execution', readId)
    .option('--with <id>', "the execution to compare with (default: the workflow's last success)", readId)
    .option('--json', 'print JSON')
    .action((id: string, options: CompareOptions) => onTarget((context) => compare(id, options, context)));

  execution
    .command('watch')
    .description('follow an execution live, until it ends')
    .argument('<id>', 'id of the execution', readId)
    .action((id: string) => onTarget((context) => watch(id, context)));

  execution
    .command('retry')
    .description('run an execution again')
    .argument('<id>', 'id of the execution', readId)
    .option('--from <node>', 'start at this node, reusing the results before it')
    .option('--current', "the workflow's current version instead of the recorded one")
    .action(async (id: string, { from, current }: { readonly from?: string; readonly current?: true }) => {
      const options = { from: from ?? null, version: current === true ? 'current' : 'recorded' } as const;
      await onTarget(async (context) => retry(id, options, context, await loadNodeTypes()));
    });

  execution
    .command('cancel')
    .description('cancel an execution')
    .argument('<id>', 'id of the execution', readId)
    .action((id: string) => onTarget((context) => cancel(id, context)));
};

interface ShowOptions {
  readonly why?: true;
  readonly json?: true;
}

interface CompareOptions {
  readonly with?: string;
  readonly json?: true;
}

interface ListOptions {
  readonly workflow?: string;
  readonly status?: string;
  readonly key?: string;
  readonly request?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly json?: true;
}

const list = async (query: KeyedListQuery, asJson: boolean, context: TargetContext): Promise<void> => {
  const { io, target } = context;
  const { executions, nextCursor, omitsEarlier } = await listKeyed(query, target);
  if (omitsEarlier === true) io.note(EARLIER_NOTE);
  if (executions.length === 0) await refuseUnknownWorkflow(query.workflowId, context);
  if (asJson) {
    return io.print(JSON.stringify({ executions: executions.map(describeSummary), nextCursor }, null, 2));
  }
  if (executions.length > 0) for (const line of toTable(executions)) io.print(line);
  else io.note(nextCursor === null ? 'No matching executions.' : 'None on this page.');
  if (nextCursor !== null) io.note(`There may be more: --cursor ${nextCursor}`);
};

const show = async (id: string, { why, json }: ShowOptions, context: TargetContext): Promise<void> => {
  const { io, target } = context;
  const record = await findReconciledExecution(id, toParts(context));
  if (why === undefined && json === undefined) {
    for (const line of toAccount(record)) io.print(line);
    return;
  }
  const explained = await explainExecution(record, target);
  if (json === true) return io.print(JSON.stringify(describeExplained(explained), null, 2));
  const reasons = explained.nodes.map((node) => node.why?.text);
  for (const line of toAccount(record, reasons)) io.print(line);
  if (explained.reasonsOmitted > 0)
    io.note(`${explained.reasonsOmitted} reasons are omitted because of their size.`);
};

const compare = async (
  id: string,
  { with: otherId, json }: CompareOptions,
  context: TargetContext,
): Promise<void> => {
  const comparison = await compareWith(id, otherId ?? null, toParts(context));
  if (json === true) return context.io.print(JSON.stringify(comparison, null, 2));
  for (const line of toComparison(comparison)) context.io.print(line);
};

const retry = async (
  id: string,
  options: RetryOptions,
  context: TargetContext,
  findNodeType: FindNodeType,
): Promise<void> => {
  const { executionId, workflowId, workflowVersion } = await retryExecution(id, options, {
    ...toParts(context),
    ...toRetry(async () => findNodeType),
    ids: randomIds,
  });
  context.io.print(`${executionId}: accepted, version ${workflowVersion} of ${workflowId}`);
  context.io.note(`Follow it with: execution watch ${executionId}`);
};

const cancel = async (id: string, context: TargetContext): Promise<void> => {
  await cancelExecution(id, toParts(context));
  context.io.print(`${id}: cancelled`);
};

/**
 * Follows an execution until it ends; Ctrl+C stops only the command.
 *
 * @throws CommandError when the execution does not succeed
 */
const watch = (id: string, context: TargetContext): Promise<void> => {
  const parts = toParts(context);
  return watchExecution(() => findReconciledExecution(id, parts), context.io);
};

export interface RunOptions {
  /** The trigger to start from; defaults to the only one. */
  readonly trigger?: string;
  /** A file with the input; `-` is standard input; defaults to `{}`. */
  readonly input?: string;
  readonly wait?: boolean;
}

/**
 * Starts a workflow by hand. With `wait`, follows it to its end on standard error and prints only its output.
 *
 * @throws CommandError when the input is wrong, or the execution does not succeed
 */
export const runWorkflow = async (
  workflowId: string,
  { trigger, input, wait = false }: RunOptions,
  findNodeType: FindNodeType,
  context: TargetContext,
): Promise<void> => {
  const { io } = context;
  const parts = toParts(context);
  const start = { workflowId, triggerNodeId: trigger ?? null, input: await readTriggerInput(input, io) };
  const started = await startWorkflow({ ...start, keepsResult: wait }, findNodeType, context);
  const { executionId, workflowVersion } = started;
  const accepted = `${executionId}: accepted, version ${workflowVersion} of ${workflowId}`;
  if (!wait) {
    io.print(accepted);
    return io.note(`Follow it with: execution watch ${executionId}`);
  }
  io.note(accepted);
  const find = () => findReconciledExecution(executionId, parts);
  await watchExecution(find, { ...io, print: io.note, paintOut: io.paint });
  const { result } = await find();
  if (result === null || isInBlob(result)) return io.note('Its output is too large to show here.');
  const { output } = JSON.parse(await unpackText(result, { get: async () => null }));
  io.print(JSON.stringify(output, null, 2));
};

/** Reads the trigger's input from a file. @throws CommandError */
const readTriggerInput = async (file: string | undefined, io: Io): Promise<JsonObject> => {
  if (file === undefined) return {};
  const { name, text } = await readInput(file, io);
  const input = parseJson(text, name);
  if (isPlainObject(input)) return input as JsonObject;
  throw new CommandError(`${name}: the input of a trigger must be a JSON object`);
};

const toParts = ({ io, target }: TargetContext) => ({
  ...target,
  events: leftToSweeper,
  logger: toLogger(io),
  clock: io,
});

/** The command line publishes no events: the outbox flag of the record stays set, and the sweeper publishes them. */
const leftToSweeper: ExecutionEvents = {
  publish: ({ executionId }) => Promise.reject(new AppError(EVENT_NOT_PUBLISHED, { executionId })),
};

/** Shows warnings, which don't fail the command. An unpublished event, logged as an error, is expected here. */
export const toLogger = (io: Io): Logger => ({
  debug: () => {},
  info: () => {},
  warn: (message) => io.note(io.paint('yellow', message)),
  error: () => {},
});

const POLL_MS = 500;

/**
 * Polls an execution until it ends, and prints each node as it starts, waits and ends.
 *
 * @param find - reads the record
 * @throws CommandError when the execution does not succeed
 * @throws AppError `EXECUTION_NOT_FOUND` when there is none, or its record has expired
 */
const watchExecution = async (
  find: () => Promise<ExecutionRecord>,
  io: Pick<Io, 'print' | 'paintOut' | 'now' | 'sleep'>,
): Promise<void> => {
  const seen = new Map<string, NodeRecord['status']>();
  const print = (time: number, status: ExecutionStatus | NodeRecord['status'], text: string): void => {
    const colour = colourOf(status);
    io.print(`${toIso(time)}  ${colour === null ? text : io.paintOut(colour, text)}`);
  };
  for (let status: ExecutionStatus | null = null; ; await io.sleep(POLL_MS)) {
    const record = await find();
    for (const node of record.nodes) {
      const name = `${node.within ?? ''}/${node.nodeId}/${node.iteration}`;
      if (seen.get(name) === node.status) continue;
      seen.set(name, node.status);
      print(timeOf(node), node.status, describeNode(node));
    }
    if (record.status !== status) {
      status = record.status;
      const time = status === 'accepted' ? record.startedAt : (record.endedAt ?? io.now());
      print(time, status, `${record.executionId}: ${status}`);
    }
    if (status === 'succeeded') return;
    if (isFinal(status)) {
      const { failure } = record;
      throw new CommandError(failure === null ? `It ended as ${status}.` : describeFailure(failure));
    }
  }
};

/** The time of a node's last status change. */
const timeOf = ({ status, startedAt, durationMs }: NodeRecord): number =>
  status === 'running' || status === 'waiting' ? startedAt : startedAt + durationMs;

/** Maximum nesting depth of the input, the service's own default. */
const MAX_INPUT_DEPTH = 100;

/**
 * Starts a workflow by hand; each call is a new execution.
 *
 * @throws AppError `NOT_STARTABLE` for an input too large for a record: commands can't access the service's
 *   bucket; also see {@link startByHand}
 */
const startWorkflow = (
  start: Pick<Parameters<typeof startByHand>[0], 'workflowId' | 'triggerNodeId' | 'input' | 'keepsResult'>,
  findNodeType: FindNodeType,
  context: TargetContext,
) => {
  const { workflowId } = start;
  const refuseLarge = () => {
    const reason = `the input is too large for a command; send it to POST /api/admin/workflows/${workflowId}/executions`;
    return Promise.reject(new AppError(NOT_STARTABLE, { workflowId, reason }));
  };
  return startByHand(
    { ...start, key: null, content: '', traceparent: null },
    {
      ...toParts(context),
      blobs: { put: refuseLarge },
      ids: randomIds,
      loadNodeTypes: async () => findNodeType,
      windowMs: 0,
      maxInputDepth: MAX_INPUT_DEPTH,
    },
  );
};
