import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createAggregate } from '../../lib/app/aggregate.ts';
import { openAggregate } from '../../lib/app/compose/background.ts';
import { readConfig } from '../../lib/app/config.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { environmentOf } from '../support/function-environment.ts';
import { projectRoot } from '../support/run-command.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const HOUR = 3_600_000;
/** The hour before last, since this one may end during a test. */
const HOUR_BEFORE = (Math.floor(Date.now() / HOUR) - 2) * HOUR;
const sample = JSON.parse(readFileSync(`${projectRoot}/events/aggregate.json`, 'utf8'));

interface Run {
  readonly workflowId?: string;
  readonly startedAt?: number;
  readonly durationMs?: number;
  readonly status?: string;
  readonly image?: object;
  readonly nodes?: readonly (readonly [nodeId: string, status: string, durationMs: number])[];
}

let sequence = 0;

/** A record of the stream: an execution that its caller waited for. */
const aRecord = (run: Run = {}) => {
  const { workflowId = 'orders', startedAt = HOUR_BEFORE, durationMs = 100, status = 'succeeded' } = run;
  const nodes = (run.nodes ?? []).map(([nodeId, status, took]) => ({
    nodeId,
    status,
    attempts: 1,
    durationMs: took,
  }));
  const [first] = sample.Records;
  sequence += 1;
  const { n, ...image } = first.dynamodb.NewImage;
  const NewImage = {
    ...image,
    ...(run.image === undefined ? { n } : run.image),
    workflowId: { S: workflowId },
    status: { S: status },
    startedAt: { S: new Date(startedAt).toISOString() },
    endedAt: { S: new Date(startedAt + durationMs).toISOString() },
    nodes: { S: JSON.stringify(nodes) },
  };
  return { ...first, dynamodb: { ...first.dynamodb, SequenceNumber: String(sequence), NewImage } };
};

const anApi = async () => {
  const { endpoint } = await openDatabase();
  const values = { DYNAMODB_ENDPOINT: endpoint };
  const config = readConfig({ ...environmentOf('aggregate', values), LOG_LEVEL: 'off' });
  const aggregate = createAggregate(openAggregate(config));
  const ask = anAdminApi(values);
  return {
    ask,
    aggregate,
    count: (runs: readonly Run[], shardId = 'shard-1') =>
      aggregate({ ...sample, shardId, Records: runs.map(aRecord) }),
    read: async (query = '') => (await ask('GET', `/api/admin/statistics?${query}`)).body,
  };
};

const times = (count: number, toRun: (at: number) => Run): Run[] =>
  Array.from({ length: count }, (_, at) => toRun(at));

describe('the statistics', () => {
  test('have starts, ends by status, and percentiles of the workflow and of each node that ran', async () => {
    const { count, read } = await anApi();
    const toRun = (at: number): Run => ({
      durationMs: at * 10,
      status: at < 5 ? 'failed' : 'succeeded',
      nodes: [
        ['call', at < 5 ? 'failed' : 'succeeded', at * 5],
        ['never', 'skipped', 0],
        ['off', 'passedThrough', 0],
      ],
    });
    expect(await count(times(101, toRun))).toEqual({ state: {} });
    const { total, steps, ...page } = await read('workflowId=orders&step=hour');
    expect(page).toEqual({
      workflowId: 'orders',
      step: 'hour',
      from: expect.any(String),
      to: expect.any(String),
      prices: { region: 'us-east-1', assumed: [] },
      timestamp: expect.any(String),
    });
    expect(total).toEqual({
      started: 101,
      succeeded: 96,
      failed: 5,
      timedOut: 0,
      cancelled: 0,
      refused: {},
      durationMs: { p50: expect.any(Number), p95: expect.any(Number) },
      cost: expect.objectContaining({ unknown: 0 }),
      nodes: {
        call: { runs: 101, failed: 5, durationMs: { p50: expect.any(Number), p95: expect.any(Number) } },
      },
    });
    expect(Math.abs(total.durationMs.p50 - 500)).toBeLessThanOrEqual(25);
    expect(Math.abs(total.durationMs.p95 - 950)).toBeLessThanOrEqual(48);
    expect(Math.abs(total.nodes.call.durationMs.p50 - 250)).toBeLessThanOrEqual(13);
    expect(steps).toEqual([{ from: new Date(HOUR_BEFORE).toISOString(), ...total }]);
  });

  test('have what the executions cost, and how many do not say it', async () => {
    const { count, read } = await anApi();
    const unknown = { mode: { S: 'durable' }, invocations: { N: '1' } };
    await count([{}, {}, { image: unknown }]);
    const { total, steps } = await read('workflowId=orders');
    const { cost } = total;
    expect(cost).toMatchObject({ unknown: 1, used: { requests: 2, invocations: 2, writeUnits: 6 } });
    // Two requests of 110 ms, with their writes, reads and logs.
    expect(cost.dollars * 1e6).toBeCloseTo(
      2 * (1 + 0.2 + 13.3334 * 1.7275 * 0.11 + 3 * 0.625 + 0.0625 + 0.85),
    );
    expect(steps[0].cost).toEqual(cost);
    await count([{ workflowId: 'old', image: unknown }]);
    expect((await read('workflowId=old')).total.cost).toBeNull();
    expect((await read('workflowId=none')).total.cost).toMatchObject({ dollars: 0, unknown: 0 });
  });

  test('count an end in the hour in which it happens', async () => {
    const { count, read } = await anApi();
    await count([{ startedAt: HOUR_BEFORE - 1, durationMs: 2 }]);
    const { steps, total } = await read('workflowId=orders');
    expect(steps.map(({ started, succeeded }: Record<string, number>) => [started, succeeded])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(total).toMatchObject({ started: 1, succeeded: 1 });
  });

  test('add up days, all workflows and the shards of the stream', async () => {
    const { count, read } = await anApi();
    const long = Date.UTC(2026, 0, 1) + 20 * HOUR;
    const runs = times(6, (at) => ({ startedAt: long + at * HOUR, workflowId: at < 3 ? 'orders' : 'mail' }));
    await count(runs.slice(0, 2), 'shard-1');
    await count(runs.slice(2), 'shard-2');
    const period = `from=2026-01-01T23:30:00Z&to=2026-01-02T00:00:00Z`;
    const ofAll = await read(`${period}&step=day`);
    expect(ofAll).toMatchObject({
      workflowId: null,
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-03T00:00:00.000Z',
      total: { started: 6 },
      steps: [
        { from: '2026-01-01T00:00:00.000Z', started: 4 },
        { from: '2026-01-02T00:00:00.000Z', started: 2 },
      ],
    });
    expect(ofAll.total).not.toHaveProperty('nodes');
    expect((await read(`${period}&step=hour`)).total).toMatchObject({ started: 2 });
    expect((await read(`${period}&step=day&workflowId=orders`)).total).toMatchObject({ started: 3 });
  });

  test('of nothing are zeros', async () => {
    const { read } = await anApi();
    expect(await read('workflowId=unknown')).toMatchObject({
      total: { started: 0, succeeded: 0, refused: {}, durationMs: { p50: null, p95: null }, nodes: {} },
      steps: [],
    });
  });

  test.each([
    ['workflowId=or%20ders', /workflowId must be a workflow id/],
    ['workflowId=*', /workflowId must be a workflow id/],
    ['step=week', /step must be one of hour, day/],
    ['from=yesterday', /from must be a time/],
    ['from=2026-02-01&to=2026-01-01', /from must not be later than to/],
    ['from=2026-01-01&to=2026-02-02', /at most 31 days apart/],
    ['from=1970-01-01', /at most 31 days apart/],
    ['days=3', /unknown parameter "days"/],
    ['step=day&step=hour', /step is given twice/],
  ])('refuse %s', async (query, detail) => {
    const { ask } = await anApi();
    const { status, body } = await ask('GET', `/api/admin/statistics?${query}`);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(detail)]);
  });

  test('refuse a period whose answer would be too large, and say what to do', async () => {
    const { count, read } = await anApi();
    const nodes = times(100, () => ({})).map((_, at) => [`node-${at}`, 'succeeded', 1] as const);
    const start = Date.UTC(2026, 0, 1);
    for (let part = 0; part < 26; part++)
      await count(times(10, (at) => ({ startedAt: start + (part * 10 + at) * HOUR, nodes })));
    const period = 'workflowId=orders&from=2026-01-01&to=2026-01-15';
    expect((await read(period)).detail).toMatch(/too many nodes by hour; choose a shorter one, or step=day/);
    expect((await read(`${period}&step=day`)).total.started).toBe(260);
  });
});

describe('the function that counts', () => {
  test('leaves out what it cannot read, and counts the rest', async () => {
    const { aggregate, read } = await anApi();
    const Records = [aRecord(), { eventName: 'INSERT' }, null, aRecord()];
    expect(await aggregate({ ...sample, Records })).toEqual({ state: {} });
    expect((await read()).total.started).toBe(2);
  });

  test.each([undefined, '', 7])('refuses changes without a shard: %s', async (shardId) => {
    const { aggregate } = await anApi();
    await expect(aggregate({ ...sample, shardId })).rejects.toThrow(/needs a tumbling window/);
  });

  test('fails as a whole if the data is of a later release, so that Lambda delivers it again', async () => {
    const { aggregate, read } = await anApi();
    const later = aRecord();
    later.dynamodb.NewImage.schema = { N: '99' };
    const batch = { ...sample, Records: [aRecord(), later] };
    await expect(aggregate(batch)).rejects.toMatchObject({ code: 'DATA_VERSION_UNSUPPORTED' });
    expect((await read()).total.started).toBe(0);
  });

  test.each([{ isFinalInvokeForWindow: true, shardId: 's', state: {} }, {}, null])(
    'does nothing at the end of a window: %j',
    async (event) => {
      const { aggregate } = await anApi();
      expect(await aggregate(event)).toEqual({ state: {} });
    },
  );
});
