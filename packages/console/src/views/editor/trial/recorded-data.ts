import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { findPasses } from '../../../../../../lib/executions/record/body-pass.ts';
import type { Answer } from '../../../api/routes.ts';
import { parseJson } from '../../../parts/parse-json.ts';
import { hashText } from './stale-data.ts';
import type { DraftGraph, NewData, NodeData, Outputs, TrialRun } from './trial-data.ts';

type Execution = Answer<'GET /api/admin/executions/{executionId}'>;

interface RecordedRun
  extends Pick<
    Execution['nodes'][number],
    'nodeId' | 'within' | 'attempts' | 'durationMs' | 'failure' | 'input' | 'outputs'
  > {
  readonly status: string;
}

interface Recorded extends Pick<Execution, 'executionId' | 'startedAt'> {
  readonly nodes: readonly RecordedRun[];
}

type Origin = Pick<NodeData, 'from' | 'id' | 'at'>;

/** What the record of an execution has of its nodes; of several runs of a node, the last, and of a body, one pass. */
export const fromExecution = (
  { executionId, startedAt, nodes }: Recorded,
  graph: DraftGraph,
): Readonly<Record<string, NewData>> => {
  const origin = { from: 'execution', id: executionId, at: startedAt } as const;
  const outer = nodes.filter(
    ({ within, status }) => within === undefined && !['skipped', 'running', 'waiting'].includes(status),
  );
  const made = outer.map((run) => [run.nodeId, fromRecord(run, origin)] as const);
  return withBodies(Object.fromEntries(made), nodes, origin, graph);
};

/** The data of a node that the service has run. */
export const fromRun = (
  run: TrialRun & Pick<Answer<'POST /api/admin/workflows/try'>, 'outputs' | 'isCut'>,
  origin: Origin,
): NewData => {
  const { status, failure, attempts, durationMs, log, logOmitted, isCut = false } = run;
  return {
    ...origin,
    outputs: toOutputs(run.outputs) ?? {},
    isPinned: false,
    isCut,
    run: { status, failure, attempts, durationMs, log, logOmitted },
  };
};

const fromRecord = ({ outputs, ...run }: RecordedRun, origin: Origin): NewData => {
  const failure = run.failure ?? null;
  const data = fromRun({ ...run, failure, outputs, log: [], logOmitted: 0 }, origin);
  // A successful run has outputs, which the record may lack.
  return { ...data, isCut: failure === null && toOutputs(outputs) === null };
};

/** With data of the nodes of bodies, from one pass of each, and what that pass began with as an output of the body's owner. */
export const withBodies = (
  made: Readonly<Record<string, NewData>>,
  runs: readonly RecordedRun[],
  origin: Origin,
  { into, bodies }: DraftGraph,
): Readonly<Record<string, NewData>> => {
  const passes = findPasses(runs, (id) => bodies.has(id));
  const all: Record<string, NewData> = { ...made };
  for (const run of passes) all[run.nodeId] = fromRecord(run, origin);
  for (const { nodeId, within = '', input } of passes) {
    const ownerId = within.split('/').at(-3) ?? '';
    const [owner, output] = [all[ownerId], bodies.get(ownerId)?.output];
    const begins = into
      .get(nodeId)
      ?.some(({ sourceNodeId, sourceOutput }) => sourceNodeId === ownerId && sourceOutput === output);
    if (owner === undefined || output === undefined || begins !== true) continue;
    if (isPlainObject(input) && !Object.hasOwn(input, '$start'))
      all[ownerId] = { ...owner, outputs: { ...owner.outputs, [output]: input as JsonObject } };
  }
  return all;
};

/** Outputs as a record or an answer has them; null if it has none, or only the start of them (`$bytes`, `$start`). */
export const toOutputs = (value: unknown): Outputs | null => {
  if (!isPlainObject(value) || Object.hasOwn(value, '$start')) return null;
  const entries = Object.entries(value).filter(([, own]) => isPlainObject(own));
  return Object.fromEntries(entries) as Outputs;
};

/** A request on record, with what a trigger emits of it. */
export type RecordedRequest = Pick<
  Answer<'GET /api/admin/requests/{id}'>,
  'id' | 'workflowId' | 'receivedAt' | 'sender' | 'method' | 'path' | 'query' | 'headers' | 'body' | 'missing'
>;

/** The output of a webhook trigger for a request on record. */
export const fromRequest = (request: RecordedRequest): NewData => {
  const { id, workflowId, receivedAt, sender, method, path, query, headers, body, missing } = request;
  const main = {
    triggeredAt: receivedAt,
    triggerType: 'webhook',
    body: readBody(body),
    headers,
    queryParams: Object.fromEntries(new URLSearchParams(query)),
    requestMethod: method,
    requestPath: `/api/webhook/${workflowId}${path}`,
    remoteAddress: sender,
  };
  const isCut = missing !== null;
  return { from: 'request', id, at: receivedAt, outputs: { main }, isPinned: false, isCut, run: null };
};

const readBody = (text: string) => {
  if (text === '') return {};
  try {
    return parseJson(text) as JsonValue;
  } catch {
    return text;
  }
};

/** The output of a webhook trigger for a body that someone typed. @param body - JSON */
export const fromBody = (body: string, at: string): NewData => {
  const request = { id: '', workflowId: '', receivedAt: at, sender: '127.0.0.1', method: 'POST', query: '' };
  const headers = { 'content-type': 'application/json' };
  const { outputs } = fromRequest({ ...request, path: '/webhook', headers, body, missing: null });
  return fromText('main', outputs.main ?? {}, at);
};

/** The output of a node that is not run, such as a disabled one. */
export const passOn = (input: JsonObject): NewData => ({
  ...fromText('main', input, new Date().toISOString()),
  from: 'passedOn',
  isPinned: false,
});

/** Data that someone typed; it is pinned, since no run would make it. */
export const fromText = (output: string, value: JsonObject, at: string): NewData => ({
  from: 'typed',
  id: `typed ${hashText(JSON.stringify([output, value]))}`,
  at,
  outputs: { [output]: value },
  isPinned: true,
  isCut: false,
  run: null,
});
