import type { Command } from 'commander';
import type { listeningState, listenRoute } from '../../lib/app/listening.ts';
import type { sendAgainRoute } from '../../lib/app/requests.ts';
import type { AnswerTo, BodyOf } from '../../lib/http/api-route.ts';
import { PAGE } from '../../lib/shared/query-fields.ts';
import { requestQuery } from '../../lib/webhooks/requests/list-requests.ts';
import { VERDICTS } from '../../lib/webhooks/requests/request-record.ts';
import { type AdminApi, refuseUnknownWorkflow } from './admin-api.ts';
import { addTo, type CommandContext, type Options, type TargetContext } from './command.ts';
import { EXECUTIONS, printStarted, readObject } from './execution-commands.ts';
import type { ListedExecution } from './execution-text.ts';
import { type Io, printJson, printLines } from './io.ts';
import { WORKFLOWS } from './put-workflows.ts';
import { JSON_OUTPUT, PAGING, readId, readQuery, readVersionNumber } from './read-arguments.ts';
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

const FILTERS = [
  ['--verdict <names>', `comma separated: ${VERDICTS.join(', ')}`],
  ['--key <key>', 'only requests of the delivery with this key'],
  ['--sender <address>', 'from this address'],
  ['--request <id>', 'only the request with this gateway id, which a problem response has as its instance'],
  ['--from <time>', 'received at or after: 2026-01-31, 2026-01-31T09:00:00Z'],
  ['--to <time>', 'received at or before'],
  ...PAGING,
  JSON_OUTPUT,
] as const;

const toQuery = (workflowId: string, { json: _json, ...filters }: Options<typeof FILTERS>) => ({
  workflowId,
  ...filters,
});

const OF_WORKFLOW = ['<workflow>', 'id of the workflow', readId] as const;
const RECORD = ['<id>', 'id of the record'] as const;

export const addRequestCommands = (program: Command, context: CommandContext): void => {
  const group = program.command('request').description('find webhook requests and send them again');
  const add = addTo(group, context);

  add('list', {
    about: 'list recorded requests, latest first',
    arguments: [OF_WORKFLOW],
    options: FILTERS,
    examples: ['request list orders --verdict refused'],
    check: (id, options) => readQuery(requestQuery, toQuery(id, options)),
    run: async (id, { io, target: { api } }, options) => {
      const query = toQuery(id, options);
      const { requests, nextCursor } = await api.call<RequestPage>('GET', REQUESTS, { query });
      if (requests.length === 0) await refuseUnknownWorkflow(id, api);
      if (options.json === true) return printJson({ requests, nextCursor }, io);
      if (requests.length === 0) io.note('No matching requests on record.');
      else printTable(toRequestTable(requests), io);
      if (nextCursor !== null) io.note(`There are more: --cursor ${nextCursor}`);
    },
  });

  add('show', {
    about: 'show why a request was refused and what was recorded',
    arguments: [RECORD],
    options: [JSON_OUTPUT],
    examples: ['request show ID'],
    run: async (id, { io, target }, { json }) => {
      const request = await target.api.call<ShownRequest>('GET', requestPath(id));
      if (json === true) printJson(request, io);
      else printLines(toRequestAccount(request), io);
    },
  });

  add('send-again', {
    about: 'start an execution with a recorded request, regardless of its outcome',
    arguments: [RECORD],
    options: [
      ['--to-version <number>', 'this version of the workflow instead of the current one', readVersionNumber],
      ['--input <file>', 'JSON with body, headers or query to replace; - for standard input'],
    ],
    examples: ['request send-again ID'],
    run: async (id, { io, target }, { toVersion: version, input }) => {
      const edited =
        input === undefined ? {} : { body: { input: await readObject(input, 'the edited request', io) } };
      const path = `${requestPath(id)}/send-again`;
      const request = { query: { version }, ...edited };
      const sent = await target.api.call<AnswerTo<typeof sendAgainRoute>>('POST', path, request);
      const { executionId, workflowId, workflowVersion } = sent;
      if (executionId !== null) return printStarted({ ...sent, executionId }, io);
      io.print(`skipped by version ${workflowVersion} of ${workflowId}: nothing started`);
    },
  });

  add('listen', {
    about: 'catch the next request to a workflow as a test, which starts nothing, and print it as JSON',
    arguments: [OF_WORKFLOW],
    options: [['--trigger <node>', 'id of the webhook trigger, if the workflow has several', readId]],
    examples: ['request listen orders', 'request listen orders --trigger paid'],
    run: catchNext,
  });

  addTo(program.command('webhook').description('follow webhooks'), context)('listen', {
    about: 'follow requests to a workflow live until Ctrl+C',
    arguments: [OF_WORKFLOW],
    examples: ['webhook listen orders'],
    run: async (id, { io, target: { api } }) => {
      await api.call('GET', `${WORKFLOWS}/${id}`); // fails if there is none
      const from = io.now(); // a request that arrives while this is printed counts
      io.note(`Listening to requests to ${id}; press Ctrl+C to stop.`);
      await followRequests(id, from, api, io);
    },
  });
};

interface RequestPage {
  readonly requests: readonly ListedRequest[];
  readonly nextCursor: string | null;
}

const requestPath = (id: string): string => `${REQUESTS}/${encodeURIComponent(id)}`;

type Begun = AnswerTo<typeof listenRoute>;
type State = BodyOf<typeof listeningState>;

/** Catches the next request until Ctrl+C, and prints it. What ends the wait in any way stops listening. */
const catchNext = async (
  workflowId: string,
  { io, target: { api } }: TargetContext,
  { trigger }: { readonly trigger?: string },
): Promise<void> => {
  const stopped = io.untilInterrupted();
  const at = `${WORKFLOWS}/${workflowId}/listening`;
  const { id, addresses, readyAt, until } = await api.call<Begun>('POST', at, {
    body: { triggerNodeId: trigger },
  });
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
    if (request !== null) printJson(request, io);
    else io.note('No request was caught.');
  }
};

const POLL_MS = 1_000;

/**
 * How far back records are read, so that late ones are shown: clocks differ, and a run of pure nodes is recorded only
 * at its end.
 */
const OVERLAP_MS = 60_000;

/**
 * Follows the requests of a workflow until Ctrl+C, one line each: recorded requests, and for all others the executions that
 * they started.
 *
 * @param startedAt - milliseconds since the epoch: only later requests are shown
 */
const followRequests = async (
  workflowId: string,
  startedAt: number,
  api: AdminApi,
  io: Io,
): Promise<void> => {
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
