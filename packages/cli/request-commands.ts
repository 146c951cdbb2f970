import type { Command } from 'commander';
import type { sendAgainRoute } from '../../lib/app/requests.ts';
import type { listeningState, listenRoute } from '../../lib/app/trials.ts';
import type { AnswerTo, BodyOf } from '../../lib/http/api-route.ts';
import { PAGE } from '../../lib/shared/query-fields.ts';
import { requestQuery } from '../../lib/webhooks/requests/list-requests.ts';
import { VERDICTS } from '../../lib/webhooks/requests/request-record.ts';
import type { AdminApi } from './admin-api.ts';
import { type CommandContext, refuseUnknownWorkflow, type TargetContext } from './command-context.ts';
import { EXECUTIONS, printStarted, readObject } from './execution-commands.ts';
import type { ListedExecution } from './execution-text.ts';
import { explain } from './help.ts';
import type { Io } from './io.ts';
import { WORKFLOWS } from './put-workflows.ts';
import { LIMIT, readId, readQuery, readVersionNumber } from './read-arguments.ts';
import {
  COLOURS,
  type ListedRequest,
  type LiveLine,
  type ShownRequest,
  toLiveLine,
  toRequestAccount,
  toRequestTable,
} from './request-text.ts';
import { oneLine, printTable } from './table.ts';

const REQUESTS = '/api/admin/requests';

export const addRequestCommands = (program: Command, { onTarget }: CommandContext): void => {
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
    .option('--limit <number>', LIMIT)
    .option('--cursor <cursor>', 'continue where a list ended')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['request list orders --verdict refused']))
    .action(async (workflowId: string, { json, ...options }: ListOptions) => {
      const query = { workflowId, ...options };
      readQuery(requestQuery, query);
      await onTarget((context) => list(query, json === true, context));
    });

  request
    .command('show')
    .description('show why a request was refused and what was recorded')
    .argument('<id>', 'id of the record')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['request show ID']))
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
    .option('--input <file>', 'JSON with body, headers or query to replace; - for standard input')
    .addHelpText('after', explain(['request send-again ID']))
    .action((id: string, options: SendAgainOptions) =>
      onTarget((context) => sendOneAgain(id, options, context)),
    );

  request
    .command('listen')
    .description('catch the next request to a workflow as a test, which starts nothing, and print it as JSON')
    .argument('<workflow>', 'id of the workflow', readId)
    .option('--trigger <node>', 'id of the webhook trigger, if the workflow has several', readId)
    .addHelpText('after', explain(['request listen orders', 'request listen orders --trigger paid']))
    .action((id: string, { trigger }: { readonly trigger?: string }) =>
      onTarget((context) => catchNext(id, trigger, context)),
    );

  program
    .command('webhook')
    .description('follow webhooks')
    .command('listen')
    .description('follow requests to a workflow live until Ctrl+C')
    .argument('<workflow>', 'id of the workflow', readId)
    .addHelpText('after', explain(['webhook listen orders']))
    .action((id: string) => onTarget((context) => follow(id, context)));
};

interface SendAgainOptions {
  readonly toVersion?: number;
  readonly input?: string;
}

interface Filters
  extends Readonly<
    Partial<Record<'verdict' | 'key' | 'sender' | 'request' | 'from' | 'to' | 'limit' | 'cursor', string>>
  > {}

interface ListOptions extends Filters {
  readonly json?: true;
}

interface RequestPage {
  readonly requests: readonly ListedRequest[];
  readonly nextCursor: string | null;
}

const list = async (
  query: Filters & { readonly workflowId: string },
  asJson: boolean,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  const page = await target.api.call<RequestPage>('GET', REQUESTS, { query: { ...query } });
  const { requests, nextCursor } = page;
  if (requests.length === 0) await refuseUnknownWorkflow(query.workflowId, context);
  if (asJson) return io.print(JSON.stringify({ requests, nextCursor }, null, 2));
  if (requests.length === 0) io.note('No matching requests on record.');
  else printTable(toRequestTable(requests), io);
  if (nextCursor !== null) io.note(`There are more: --cursor ${nextCursor}`);
};

const toPath = (id: string): string => `${REQUESTS}/${encodeURIComponent(id)}`;

const show = async (id: string, asJson: boolean, { io, target }: TargetContext): Promise<void> => {
  const request = await target.api.call<ShownRequest>('GET', toPath(id));
  if (asJson) return io.print(JSON.stringify(request, null, 2));
  for (const line of toRequestAccount(request)) io.print(line);
};

const sendOneAgain = async (
  id: string,
  { toVersion: version, input }: SendAgainOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  const edited =
    input === undefined ? {} : { body: { input: await readObject(input, 'the edited request', io) } };
  const request = { query: { version }, ...edited };
  const sent = await target.api.call<AnswerTo<typeof sendAgainRoute>>(
    'POST',
    `${toPath(id)}/send-again`,
    request,
  );
  const { executionId, workflowId, workflowVersion } = sent;
  if (executionId !== null) return printStarted({ ...sent, executionId }, io);
  io.print(`skipped by version ${workflowVersion} of ${workflowId}: nothing started`);
};

type Begun = AnswerTo<typeof listenRoute>;
type State = BodyOf<typeof listeningState>;

/** Catches the next request until Ctrl+C, and prints it. What ends the wait in any way stops listening. */
const catchNext = async (
  workflowId: string,
  triggerNodeId: string | undefined,
  { io, target: { api } }: TargetContext,
): Promise<void> => {
  const stopped = io.untilInterrupted();
  const at = `${WORKFLOWS}/${workflowId}/listening`;
  const body = triggerNodeId === undefined ? {} : { triggerNodeId };
  const { id, addresses, readyAt, until } = await api.call<Begun>('POST', at, { body });
  let isOver = false;
  try {
    await io.sleep(Math.max(0, Date.parse(readyAt) - io.now()), stopped).catch(() => {});
    io.note(`Listening until ${until}; press Ctrl+C to stop. Send a request to:`);
    for (const { method, url } of addresses) io.note(oneLine(`  ${method} ${url}`));
    do {
      isOver = (await api.call<State>('GET', `${at}/${id}`)).state !== 'listening';
      if (!isOver) await io.sleep(POLL_MS, stopped).catch(() => {});
    } while (!isOver && !stopped.aborted);
  } finally {
    const { request } = await api.call<State>('DELETE', `${at}/${id}`);
    if (request !== null) io.print(JSON.stringify(request, null, 2));
    else io.note('No request was caught.');
  }
};

const follow = async (id: string, { io, target }: TargetContext): Promise<void> => {
  await target.api.call('GET', `${WORKFLOWS}/${id}`); // fails if there is none
  const from = io.now(); // a request that arrives while this is printed counts
  io.note(`Listening to requests to ${id}; press Ctrl+C to stop.`);
  await listen(id, from, target.api, io);
};

const POLL_MS = 1_000;

/**
 * How far back records are read, so that late ones are shown: clocks differ, and a run of pure nodes is recorded only
 * at its end.
 */
const OVERLAP_MS = 60_000;

/** What `listen` uses of the terminal and its clock. */
type ListenIo = Pick<Io, 'print' | 'paintOut' | 'now' | 'sleep' | 'untilInterrupted'>;

/**
 * Follows the requests of a workflow until Ctrl+C, one line each: recorded requests, and for all others the executions that
 * they started.
 *
 * @param startedAt - milliseconds since the epoch: only later requests are shown
 */
const listen = async (workflowId: string, startedAt: number, api: AdminApi, io: ListenIo): Promise<void> => {
  const stopped = io.untilInterrupted();
  const seen = new Set<string>();
  do {
    const from = Math.max(startedAt, io.now() - OVERLAP_MS);
    const query = { workflowId, from, limit: PAGE.max };
    const recorded = await api.call<RequestPage>('GET', REQUESTS, { query });
    const started = await api.call<{ readonly executions: readonly ListedExecution[] }>('GET', EXECUTIONS, {
      query,
    });
    const lines: LiveLine[] = [];
    const add = (ids: readonly string[], line: LiveLine): void => {
      if (!ids.some((id) => seen.has(id))) lines.push(line);
      for (const id of ids) seen.add(id);
    };
    for (const record of recorded.requests) {
      const ofRun = record.verdict === 'started' && record.executionId !== null ? [record.executionId] : [];
      add([record.id, ...ofRun], toLiveLine(record));
    }
    for (const execution of started.executions) add([execution.executionId], toStartLine(execution));
    for (const { at, verdict, text } of lines.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)))
      io.print(`${at}  ${io.paintOut(COLOURS[verdict], text)}`);
    await io.sleep(POLL_MS, stopped).catch(() => {});
  } while (!stopped.aborted);
};

const toStartLine = ({ executionId, startedAt: at, status }: ListedExecution): LiveLine => ({
  at,
  verdict: 'started',
  text: `${'started'.padEnd(9)} ${executionId}, ${status}`,
});
