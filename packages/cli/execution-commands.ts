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
import { type AdminApi, ApiProblem, EARLIER_NOTE, refuseUnknownWorkflow } from './admin-api.ts';
import { MANY, retryMany } from './bulk-retry-commands.ts';
import { addTo, type CommandContext, type Options, type TargetContext } from './command.ts';
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
import { type Io, printJson, printLines } from './io.ts';
import { parseJson } from './parse-json.ts';
import { WORKFLOWS } from './put-workflows.ts';
import { EXECUTION, JSON_OUTPUT, PAGING, readId, readQuery } from './read-arguments.ts';
import { readInput } from './read-file.ts';
import { printTable } from './table.ts';

export const EXECUTIONS = '/api/admin/executions';

export const addExecutionCommands = (program: Command, context: CommandContext): void => {
  const group = program.command('execution').description('list, follow, retry and cancel executions');
  const add = addTo(group, context);

  add('list', {
    about: 'list executions, latest first',
    options: LIST_OPTIONS,
    examples: ['execution list --status failed --from 2026-01-31'],
    check: (options) => readQuery(keyedListQuery, toListQuery(options)),
    run: async ({ io, target: { api } }, options) => {
      const { executions, nextCursor, omitsEarlier } = await api.call<ListAnswer>('GET', EXECUTIONS, {
        query: toListQuery(options),
      });
      if (omitsEarlier === true) io.note(EARLIER_NOTE);
      if (executions.length === 0) await refuseUnknownWorkflow(options.workflow, api);
      if (options.json === true) return printJson({ executions, nextCursor }, io);
      if (executions.length > 0) printTable(toExecutionTable(executions), io);
      else io.note(nextCursor === null ? 'No matching executions.' : 'None on this page.');
      if (nextCursor !== null) io.note(`There may be more: --cursor ${nextCursor}`);
    },
  });

  add('show', {
    about: 'show an execution node by node',
    arguments: [EXECUTION],
    options: [['--why', 'also show why each node did what it did'], JSON_OUTPUT],
    examples: ['execution show ID --why'],
    run: async (id, { io, target }, { why, json }) => {
      const execution = await find(target.api, id);
      if (json === true) return printJson(execution, io);
      printLines(toAccount(execution, why === true), io);
      if (why === true && execution.reasonsOmitted > 0)
        io.note(`${execution.reasonsOmitted} reasons are omitted because of their size.`);
    },
  });

  add('compare', {
    about: 'show what an execution did differently from another one of its workflow',
    arguments: [EXECUTION],
    options: [
      ['--with <id>', "the execution to compare with (default: the workflow's last success)", readId],
      JSON_OUTPUT,
    ],
    examples: ['execution compare ID'],
    run: async (id, { io, target }, { with: otherId, json }) => {
      const path = `${EXECUTIONS}/${id}/comparison`;
      const query = { with: otherId };
      const comparison = await target.api.call<ExecutionComparison>('GET', path, { query });
      if (json === true) printJson(comparison, io);
      else printLines(toComparison(comparison), io);
    },
  });

  add('watch', {
    about: 'follow an execution live, until it ends',
    arguments: [EXECUTION],
    examples: ['execution watch ID'],
    failed: 'not found, or the execution did not succeed',
    run: (id, { io, target }) => watchExecution(() => find(target.api, id), io),
  });

  add('retry', {
    about: 'run an execution again, or all that match a filter',
    arguments: [['[id]', 'id of the execution; without it, --workflow or --all', readId]],
    options: [...RETRY_OPTIONS, ...MANY],
    examples: ['execution retry ID --failed-items', 'execution retry --workflow hello --dry-run'],
    failed: 'refused or not found; of several, it stopped, or one failed again',
    check: (id, options) => {
      if (options.failedItems === true && (options.from ?? options.input) !== undefined)
        throw usageError(
          'With --failed-items, everything that has succeeded keeps its result: leave out --from and --input.',
        );
      const ofOne = options.input ?? options.idempotencyKey;
      const ofMany = ONLY_MANY.find((name) => options[name] !== undefined);
      if ((id === undefined ? ofOne : ofMany) !== undefined)
        throw usageError(
          '--input and --idempotency-key need an id, and an id takes no filters: see execution retry --help.',
        );
    },
    run: (id, onTarget, options) =>
      id === undefined ? retryMany(onTarget, options) : retryOne(id, onTarget, options),
  });

  add('cancel', {
    about: 'cancel an execution',
    arguments: [EXECUTION],
    examples: ['execution cancel ID'],
    failed: 'not found, or it has ended',
    run: async (id, { io, target }) => {
      const path = `${EXECUTIONS}/${id}/cancel`;
      const { stopped } = await target.api.call<{ readonly stopped?: false }>('POST', path);
      if (stopped === false) io.note(io.paint('yellow', 'The durable execution could not be stopped.'));
      io.print(`${id}: cancelled`);
    },
  });
};

const LIST_OPTIONS = [
  ['--workflow <id>', 'only executions of this workflow', readId],
  ['--status <names>', `comma separated: ${EXECUTION_STATUSES.join(', ')}`],
  ['--key <key>', 'only the execution of the delivery with this key; needs --workflow'],
  ['--request <id>', 'only the execution of the request with this gateway id; needs --workflow'],
  ['--failure-node <node>', 'failed at this node'],
  ['--failure-name <name>', 'failed with this name, such as HttpStatusError'],
  ['--bulk-retry <id>', 'started by this bulk retry'],
  ['--from <time>', 'started at or after: 2026-01-31, 2026-01-31T09:00:00Z'],
  ['--to <time>', 'started at or before'],
  ...PAGING,
  JSON_OUTPUT,
] as const;

const toListQuery = ({ workflow, bulkRetry, json: _json, ...fields }: Options<typeof LIST_OPTIONS>) => ({
  workflowId: workflow,
  bulkRetryId: bulkRetry,
  ...fields,
});

const RETRY_OPTIONS = [
  ['--from <node>', 'start at this node, reusing the results before it'],
  [
    '--failed-items',
    'only the items of forEach that failed, and what follows; the others keep their results',
  ],
  ['--current', "the workflow's current version instead of the recorded one"],
  ['--input <file>', "JSON with the fields of the trigger's input to replace; - for standard input"],
  [
    '--idempotency-key <key>',
    'the same for a repeated retry of ID, which starts nothing (default: a new one)',
  ],
] as const;

/** What `execution retry` takes only without an id. */
const ONLY_MANY = [
  'workflow',
  'all',
  'status',
  'fromTime',
  'toTime',
  'failureNode',
  'failureName',
  'ranVersion',
  'rate',
  'stopAt',
  'dryRun',
  'yes',
] as const;

interface ListAnswer {
  readonly executions: readonly ListedExecution[];
  readonly nextCursor: string | null;
  readonly omitsEarlier?: true;
}

const find = (api: AdminApi, id: string): Promise<ShownExecution> => api.call('GET', `${EXECUTIONS}/${id}`);

interface StartedExecution {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
}

const retryOne = async (
  id: string,
  { io, target }: TargetContext,
  { from, failedItems, current, input, idempotencyKey = randomUUID() }: Options<typeof RETRY_OPTIONS>,
): Promise<void> => {
  const only = failedItems === true ? 'failedItems' : undefined;
  const query = { from, only, version: current === true ? 'current' : 'recorded' };
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

interface WithOutput {
  readonly output?: JsonValue;
}

/** The options of `workflow run`. */
export const RUN_OPTIONS = [
  ['--trigger <node>', 'the trigger to start from; required if there are several', readId],
  ['--input <file>', 'its input, a JSON object; - is standard input (default: {})'],
  ['--wait', 'follow it to its end and print its output'],
] as const;

/** Most executions end within this; longer ones are followed live. */
const WAIT_SECONDS = 2;

/**
 * Starts a workflow by hand. With `wait`, follows it to its end on standard error and prints only its output.
 *
 * @throws CommandError when the input is wrong, or the execution does not succeed
 */
export const runWorkflow = async (
  workflowId: string,
  { io, target }: TargetContext,
  { trigger, input, wait }: Options<typeof RUN_OPTIONS>,
): Promise<void> => {
  const request = {
    query: { trigger },
    headers: wait === true ? { prefer: `wait=${WAIT_SECONDS}` } : {},
    body: input === undefined ? {} : await readObject(input, 'the input of a trigger', io),
  };
  const path = `${WORKFLOWS}/${workflowId}/executions`;
  const started = await target.api.call<StartedExecution & WithOutput>('POST', path, request);
  if (wait !== true) return printStarted(started, io);
  const { executionId, workflowVersion } = started;
  io.note(`${executionId}: accepted, version ${workflowVersion} of ${workflowId}`);
  await watchExecution(() => find(target.api, executionId), { ...io, print: io.note, paintOut: io.paint });
  const { output } =
    started.output === undefined
      ? await target.api.call<WithOutput>('GET', `${EXECUTIONS}/${executionId}/result`)
      : started;
  printJson(output ?? {}, io);
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
