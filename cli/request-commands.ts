import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { Command } from 'commander';
import { randomIds } from '../lib/adapters/runtime/random-ids.ts';
import { toRetry } from '../lib/app/compose/admin.ts';
import type { ExecutionStore, ExecutionSummary } from '../lib/executions/record/execution-store.ts';
import { parseFields } from '../lib/shared/query-fields.ts';
import {
  describeRequest,
  describeRequestSummary,
  findRequest,
} from '../lib/webhooks/requests/describe-request.ts';
import {
  DEFAULT_LIMIT,
  listRequests,
  MAX_LIMIT,
  type RequestListQuery,
  requestQuery,
} from '../lib/webhooks/requests/list-requests.ts';
import { toRecordId, VERDICTS, type Verdict } from '../lib/webhooks/requests/request-record.ts';
import type { RequestStore } from '../lib/webhooks/requests/request-store.ts';
import { sendAgain } from '../lib/webhooks/requests/send-again.ts';
import { type CommandContext, refuseUnknownWorkflow, type TargetContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { toLogger } from './execution-commands.ts';
import { toIso } from './execution-text.ts';
import type { Io } from './io.ts';
import { readId, readQuery, readVersionNumber } from './read-arguments.ts';
import { type LiveLine, toLiveLine, toRequestAccount, toRequestTable } from './request-text.ts';

export const addRequestCommands = (program: Command, { loadNodeTypes, onTarget }: CommandContext): void => {
  const request = program.command('request').description('find webhook requests and send them again');

  request
    .command('list')
    .description('list recorded requests, latest first')
    .argument('<workflow>', 'id of the workflow', readId)
    .option('--verdict <names>', `comma separated: ${VERDICTS.join(', ')}`)
    .option('--key <key>', 'only requests of the delivery with this key')
    .option('--sender <address>', 'from this address')
    .option(
      '--request <id>',
      'only the request with this gateway id, which a problem response has as its instance',
    )
    .option('--from <time>', 'received at or after: 2026-01-31, 2026-01-31T09:00:00Z')
    .option('--to <time>', 'received at or before')
    .option('--limit <number>', `how many: 1 to ${MAX_LIMIT} (default: ${DEFAULT_LIMIT})`)
    .option('--cursor <cursor>', 'continue where a list ended')
    .option('--json', 'print JSON')
    .action(async (workflowId: string, { json, ...options }: ListOptions) => {
      const query = readQuery(requestQuery, { workflowId, ...options });
      await onTarget((context) => list(query, json === true, context));
    });

  request
    .command('show')
    .description('show why a request was refused and what was recorded')
    .argument('<id>', 'id of the record')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { readonly json?: true }) =>
      onTarget((context) => show(id, json === true, context)),
    );

  request
    .command('send-again')
    .description('start an execution with a recorded request, regardless of its outcome')
    .argument('<id>', 'id of the record')
    .option(
      '--to-version <number>',
      'this version of the workflow instead of the current one',
      readVersionNumber,
    )
    .action((id: string, { toVersion = null }: { readonly toVersion?: number | null }) =>
      onTarget(async (context) => sendOneAgain(id, toVersion, context, await loadNodeTypes())),
    );

  program
    .command('webhook')
    .description('follow webhooks')
    .command('listen')
    .description('follow requests to a workflow live until Ctrl+C')
    .argument('<workflow>', 'id of the workflow', readId)
    .action((id: string) => onTarget((context) => follow(id, context)));
};

type ListOptions = Readonly<
  Partial<Record<'verdict' | 'key' | 'sender' | 'request' | 'from' | 'to', string>>
> & {
  readonly limit?: string;
  readonly cursor?: string;
  readonly json?: true;
};

const list = async (query: RequestListQuery, asJson: boolean, context: TargetContext): Promise<void> => {
  const { io, target } = context;
  const { requests, nextCursor } = await listRequests(query, target.requests, io.now());
  if (requests.length === 0) await refuseUnknownWorkflow(query.workflowId, context);
  if (asJson)
    return io.print(JSON.stringify({ requests: requests.map(describeRequestSummary), nextCursor }, null, 2));
  if (requests.length === 0) io.note('No matching requests on record.');
  else for (const line of toRequestTable(requests)) io.print(line);
  if (nextCursor !== null) io.note(`There are more: --cursor ${nextCursor}`);
};

const show = async (id: string, asJson: boolean, { io, target }: TargetContext): Promise<void> => {
  const record = await findRequest(id, target.requests);
  if (asJson) return io.print(JSON.stringify(describeRequest(record), null, 2));
  for (const line of toRequestAccount(record)) io.print(line);
};

const sendOneAgain = async (
  id: string,
  version: number | null,
  { io, target }: TargetContext,
  findNodeType: FindNodeType,
): Promise<void> => {
  const { executionId, workflowId, workflowVersion } = await sendAgain(id, version, {
    ...target,
    ...target.judging,
    ...toRetry(async () => findNodeType),
    ids: randomIds,
    clock: io,
    logger: toLogger(io),
  });
  const name = `version ${workflowVersion} of ${workflowId}`;
  if (executionId === null) return io.print(`skipped by ${name}: nothing started`);
  io.print(`${executionId}: accepted, ${name}`);
  io.note(`Follow it with: execution watch ${executionId}`);
};

const follow = async (id: string, { io, target }: TargetContext): Promise<void> => {
  if ((await target.workflows.find(id)) === null) throw new CommandError(`There is no workflow ${id}.`);
  const from = io.now(); // a request that arrives while this is printed counts
  io.note(`Listening to requests to ${id}; press Ctrl+C to stop.`);
  await listen(id, from, target, io);
};

const POLL_MS = 1_000;

/**
 * How far back records are read, so that late ones are shown: clocks differ, and a run of pure nodes is recorded only
 * at its end.
 */
const OVERLAP_MS = 60_000;

/** What `listen` uses of the terminal and its clock. */
type ListenIo = Pick<Io, 'print' | 'paintOut' | 'now' | 'sleep' | 'untilInterrupted'>;

interface ListenParts {
  readonly requests: Pick<RequestStore, 'scan'>;
  readonly executions: Pick<ExecutionStore, 'list'>;
}

/**
 * Follows the requests of a workflow until Ctrl+C, one line each: recorded requests, and for all others the executions that
 * they started.
 *
 * @param startedAt - milliseconds since the epoch: only later requests are shown
 */
const listen = async (
  workflowId: string,
  startedAt: number,
  { requests, executions }: ListenParts,
  io: ListenIo,
): Promise<void> => {
  const stopped = io.untilInterrupted();
  const seen = new Set<string>();
  do {
    const from = Math.max(startedAt, io.now() - OVERLAP_MS);
    const query = { workflowId, from: String(from), limit: String(MAX_LIMIT) };
    const recorded = await listRequests(parseFields(requestQuery, query), requests, io.now());
    const started = await executions.list({ workflowId, from, limit: MAX_LIMIT });
    const lines: LiveLine[] = [];
    const add = (ids: readonly string[], line: LiveLine): void => {
      if (!ids.some((id) => seen.has(id))) lines.push(line);
      for (const id of ids) seen.add(id);
    };
    for (const record of recorded.requests) {
      const ofRun = record.verdict === 'started' && record.executionId !== null ? [record.executionId] : [];
      add([toRecordId(record), ...ofRun], toLiveLine(record));
    }
    for (const execution of started.executions) add([execution.executionId], toStartLine(execution));
    for (const { at, verdict, text } of lines.sort((a, b) => a.at - b.at))
      io.print(`${toIso(at)}  ${io.paintOut(COLOURS[verdict], text)}`);
    await io.sleep(POLL_MS, stopped).catch(() => {});
  } while (!stopped.aborted);
};

const toStartLine = ({ executionId, startedAt: at, status }: ExecutionSummary): LiveLine => ({
  at,
  verdict: 'started',
  text: `${'started'.padEnd(9)} ${executionId}, ${status}`,
});

const COLOURS: Readonly<Record<Verdict, 'green' | 'red' | 'yellow'>> = {
  started: 'green',
  duplicate: 'yellow',
  skipped: 'yellow',
  refused: 'red',
};
