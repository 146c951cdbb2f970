import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import dynalite from 'dynalite';
import { AT_ONCE, ensureTable, watchChanges, withStore } from 'lambda-stage/database';
import { type InternalServer, startInternalServer } from 'lambda-stage/net';
import { createStreams } from 'lambda-stage/sources';
import { createExecutionStore } from '../../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createJsonClient } from '../../../lib/adapters/dynamodb/json-client.ts';
import { createRequestStore } from '../../../lib/adapters/dynamodb/requests/request-store.ts';
import { createSdk } from '../../../lib/adapters/dynamodb/sdk-client.ts';
import { readChange, readEnd } from '../../../lib/adapters/dynamodb/statistics/read-change.ts';
import { tableNames } from '../../../lib/adapters/dynamodb/table-names.ts';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import type { Usage } from '../../../lib/executions/cost/usage.ts';
import type { Happening } from '../../../lib/executions/statistics/counts.ts';
import { readTableDefinitions } from '../../../packages/local/database/tables.ts';
import { readServiceFile } from '../../../packages/local/functions/service-file.ts';
import { aRequestRecord, RECEIVED_AT } from '../../support/a-request-record.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';
import { projectRoot } from '../../support/run-command.ts';

const tables = tableNames('hookloom-dev');
const { streams: mappings } = readServiceFile(projectRoot);
const mappingsOf = (key: string) => mappings.filter(({ functionKey }) => functionKey === key);
const clock = { now: () => RECEIVED_AT };
const NODE: NodeRecord = {
  nodeId: 'call',
  type: 'httpRequest',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: RECEIVED_AT,
  durationMs: 40,
};
const startedAt = 1_700_000_000_000;
const started: Happening = { kind: 'started', workflowId: 'orders', at: startedAt };
const ended = (changes: object = {}): Happening => ({
  kind: 'ended',
  workflowId: 'orders',
  at: startedAt + 500,
  status: 'succeeded',
  durationMs: 500,
  nodes: [],
  usage: expect.anything() as unknown as Usage,
  ...changes,
});

let server: InternalServer;
let delivered: unknown[];
let unfiltered: unknown[];
/** What the function that sends traces gets. */
let traced: unknown[];
let stopStreams: () => Promise<void>;

beforeEach(async () => {
  delivered = [];
  unfiltered = [];
  traced = [];
  const [http, store] = withStore(() => dynalite(AT_ONCE));
  server = await startInternalServer(http);
  const sdk = createSdk(server.endpoint);
  for (const definition of readTableDefinitions('hookloom-dev')) await ensureTable(sdk, definition);
  sdk.destroy();
  const collect =
    (into: unknown[]) =>
    async (functionKey: string, { Records }: object & { Records?: unknown }) =>
      void (functionKey === 'exportTraces' ? traced : into).push(...(Records as unknown[]));
  const log = () => {};
  const filtered = createStreams({ mappings, invoke: collect(delivered), log, windowMs: 1 });
  const everything = createStreams({
    mappings: mappingsOf('aggregate').map((mapping) => ({ ...mapping, filterPatterns: [{}] })),
    invoke: collect(unfiltered),
    log,
    windowMs: 1,
  });
  watchChanges(store, Object.values(tables), (...change) => {
    filtered.onChange(...change);
    everything.onChange(...change);
  });
  stopStreams = async () => {
    await filtered.stop();
    await everything.stop();
  };
});

afterEach(async () => {
  await stopStreams();
  await server.stop();
});

const openStores = () => {
  const client = createJsonClient({ region: 'local', endpoint: server.endpoint });
  return {
    executions: createExecutionStore(client, tables, { retentionDays: 30, clock }),
    requests: createRequestStore(client, tables, { retentionDays: 7, clock }),
  };
};

const read = async (records: readonly unknown[]): Promise<readonly Happening[]> =>
  (await Promise.all(records.map((record) => readChange(record)))).flatMap(({ happenings }) => happenings);

/** What the function counts: the same with the filters of serverless.yml and without them. */
const happenings = async (): Promise<readonly Happening[]> => {
  await stopStreams();
  const found = await read(delivered);
  expect(await read(unfiltered)).toEqual(found);
  // Lambda does not invoke the function for anything else.
  const counted = await Promise.all(delivered.map((record) => readChange(record)));
  expect(counted.filter((change) => change.happenings.length === 0)).toEqual([]);
  // Each end is traced, and nothing else.
  const ends = (await Promise.all(traced.map(readEnd))).map((end) => end?.status);
  expect(ends).toEqual(found.flatMap((one) => (one.kind === 'ended' ? one.status : [])));
  const others = (await Promise.all(unfiltered.map(readEnd))).filter((end) => end !== null);
  expect(others).toHaveLength(ends.length);
  return found;
};

describe('an execution', () => {
  test('in the background has a start and an end, whatever else is written', async () => {
    const { executions } = openStores();
    await executions.start(anExecutionStart());
    await executions.acquireLease('e-1', aLease());
    await executions.saveProgress('e-1', { status: 'waiting', nodes: [NODE], leaseExpiresAt: startedAt });
    await executions.finish('e-1', anExecutionEnd({ nodes: [NODE], isInOutbox: true, checkpoints: 'j{}' }));
    await executions.finish('e-1', anExecutionEnd({ status: 'failed' }));
    await executions.markPublished('e-1');
    expect(await happenings()).toEqual([started, ended({ nodes: [NODE] })]);
  });

  test.each(['failed', 'timedOut', 'cancelled'] as const)('that %s is counted as such', async (status) => {
    const { executions } = openStores();
    await executions.start(anExecutionStart({ isHighVolume: true }));
    const failure = { nodeId: 'call', name: 'Error', message: 'no' };
    await executions.finish('e-1', anExecutionEnd({ status, failure }));
    expect(await happenings()).toEqual([started, ended({ status })]);
  });

  test('that its caller waits for has both in one change', async () => {
    const { executions } = openStores();
    const start = anExecutionStart({ mode: 'inline', status: 'running', input: null, callbackKey: null });
    const nodes = Array.from({ length: 60 }, (_, iteration) => ({ ...NODE, iteration }));
    await executions.startAndFinish(start, anExecutionEnd({ nodes }));
    expect(await happenings()).toEqual([started, ended({ nodes })]);
    expect(delivered).toHaveLength(1);
  });

  test('that is withdrawn has not started', async () => {
    const { executions } = openStores();
    await executions.start(anExecutionStart());
    expect(await executions.withdraw('e-1', 'token-1')).toBe(true);
    expect(await happenings()).toEqual([started, { ...started, kind: 'withdrawn' }]);
  });

  test('that is held counts from its start; its queue and its callbacks do not', async () => {
    const { executions } = openStores();
    await executions.start(anExecutionStart({ held: 'paused' }));
    const question = { title: 'Pay?', fields: [], options: [] };
    await executions.openCallback('e-1', 'ask/0/0', {
      callbackId: 'c-1',
      expiresAt: startedAt + 1_000,
      subject: {
        executionId: 'e-1',
        workflowId: 'orders',
        name: 'ask/0/0',
        openedAt: startedAt,
        publicUrl: 'https://a',
        question: question as never,
      },
    });
    expect(await happenings()).toEqual([started]);
  });
});

describe('a request', () => {
  const at = { at: RECEIVED_AT, workflowId: 'shop' };

  test('that was refused is counted by its code, and no other one', async () => {
    const { requests } = openStores();
    const { code = '' } = aRequestRecord().refusal ?? {};
    await requests.put(aRequestRecord());
    await requests.put(aRequestRecord({ place: 'r20231114T2213-09', body: 'x'.repeat(900) }));
    await requests.put(aRequestRecord({ place: 'p20231114T221320000-a', verdict: 'skipped', refusal: null }));
    await requests.fill(aRequestRecord({ workflowId: '*', place: '7' }));
    await requests.fill(aRequestRecord({ workflowId: '*', place: '7', body: 'other' }));
    expect(await happenings()).toEqual([
      { kind: 'refused', ...at, code },
      { kind: 'refused', ...at, code },
    ]);
  });
});

describe('a record', () => {
  const change = { eventName: 'INSERT', dynamodb: { SequenceNumber: '100', NewImage: {} } };

  test.each([
    ['nothing', null],
    ['no sequence number', { ...change, dynamodb: { NewImage: {} } }],
    ['a sequence number that is none', { ...change, dynamodb: { SequenceNumber: '1e3' } }],
    ['a long one', { ...change, dynamodb: { SequenceNumber: '9'.repeat(41) } }],
    [
      'an execution without its start',
      {
        ...change,
        dynamodb: { SequenceNumber: '1', NewImage: { status: { S: 'accepted' }, schema: { N: '4' } } },
      },
    ],
  ])('with %s is no change', async (_case, record) => {
    await expect(readChange(record)).rejects.toThrow(Error);
  });

  test('of a later release is not guessed at', async () => {
    const NewImage = { status: { S: 'accepted' }, schema: { N: '99' } };
    const later = { ...change, dynamodb: { SequenceNumber: '1', NewImage } };
    await expect(readChange(later)).rejects.toMatchObject({ code: 'DATA_VERSION_UNSUPPORTED' });
  });

  test('of an item that is counted nowhere has no happenings', async () => {
    expect(await readChange(change)).toEqual({ sequence: 100n, happenings: [] });
  });
});
