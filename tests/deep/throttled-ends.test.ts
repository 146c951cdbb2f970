import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { reconcileExecution } from '../../lib/executions/lifecycle/reconcile-execution.ts';
import { startMeteredDynamoDb } from '../support/a-metered-dynamodb.ts';
import { anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
const cleanups: (() => Promise<void>)[] = [];
beforeEach(() => {
  jest.spyOn(Math, 'random').mockReturnValue(0); // a refused call waits for a random part of a second
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const NOW = 1_700_000_000_000;
const KEY_LIMIT = 10;

/** A store whose partitions take ten write units a second, and an execution in it. */
const aStore = async (mode: 'inline' | 'express') => {
  const { endpoint, tables } = await openDatabase();
  let now = NOW;
  const units = { Read: 1_000, Write: 1_000 };
  const limits = { key: { ...units, Write: KEY_LIMIT }, newTable: units };
  const meter = await startMeteredDynamoDb(endpoint, 'test', { clock: { now: () => now }, limits });
  cleanups.push(meter.stop);
  const client = createJsonClient({ region: 'local', endpoint: meter.endpoint });
  const clock = { now: () => now };
  const store = createExecutionStore(client, tables, { retentionDays: 30, clock });
  const start = anExecutionStart({
    mode,
    status: mode === 'inline' ? 'running' : 'accepted',
    startedAt: NOW,
  });
  await store.start(start);
  /** Takes what its partition of an index has left for this second. */
  const exhaust = async (attributes: Readonly<Record<string, string>>) => {
    for (let at = 0; at <= KEY_LIMIT; at++) {
      const values = Object.entries(attributes).map(([name, value]) => [name, { S: value }]);
      const Item = { executionId: { S: `other ${at}` }, ...Object.fromEntries(values) };
      await client.putItem({ TableName: tables.executions, Item }).catch(() => {});
    }
  };
  const read = async () => {
    const record = await store.find('e-1');
    return { status: record?.status, isUnlisted: record?.isUnlisted };
  };
  const listed = async (status: 'succeeded' | 'failed') =>
    (await store.list({ workflowId: null, statuses: [status], limit: 5 })).executions.length;
  const sweep = () =>
    reconcileExecution('e-1', {
      executions: store,
      events: { publish: async () => {} },
      usesOutbox: false,
      clock,
    } as never);
  const pass = (ms: number) => {
    now += ms;
  };
  return { store, exhaust, read, listed, sweep, pass, take: meter.take };
};

/** Keys of e-1 in the indexes. */
const SWEPT = { sweepShard: '25', sweepAt: '2023' };
const FAILED = { failedWorkflowId: 'orders', startedAt: '2023' };

test('a background run ends while the sweep index is throttled, and the next sweep lists it', async () => {
  const { store, exhaust, read, listed, sweep, pass, take } = await aStore('express');
  await exhaust(SWEPT);
  expect(await store.finish('e-1', anExecutionEnd())).toBe(true);
  expect(take().throttled).toHaveProperty('IndexWriteKeyRangeThroughputExceeded');
  expect(await read()).toEqual({ status: 'succeeded', isUnlisted: true });
  // It has ended once and for all.
  expect(await store.finish('e-1', anExecutionEnd({ status: 'failed' }))).toBe(false);
  pass(3_600_000);
  const due: string[] = [];
  for await (const id of store.findDue(NOW + 3_600_000, 'active')) due.push(id);
  expect(due).toContain('e-1');
  await sweep();
  expect(await read()).toEqual({ status: 'succeeded', isUnlisted: undefined });
  for await (const id of store.findDue(NOW + 7_200_000, 'active')) expect(id).not.toBe('e-1');
  expect(await listed('succeeded')).toBe(1);
});

test('a failing run ends while the failure index is throttled', async () => {
  const { store, exhaust, read, listed, sweep, pass } = await aStore('express');
  await exhaust(FAILED);
  const failure = { nodeId: 'call', name: 'HttpError', message: '500' };
  expect(await store.finish('e-1', anExecutionEnd({ status: 'failed', failure }))).toBe(true);
  expect(await read()).toEqual({ status: 'failed', isUnlisted: true });
  expect(await listed('failed')).toBe(0);
  pass(3_600_000);
  await sweep();
  expect(await read()).toEqual({ status: 'failed', isUnlisted: undefined });
  expect(await listed('failed')).toBe(1);
});

test('a published run leaves the outbox once the sweeper has listed it', async () => {
  const { store, exhaust, read, sweep, pass } = await aStore('express');
  await exhaust(FAILED);
  await store.finish('e-1', anExecutionEnd({ isInOutbox: true, status: 'failed' }));
  await exhaust(SWEPT);
  await store.markPublished('e-1');
  expect(await store.find('e-1')).toMatchObject({ isInOutbox: false });
  pass(3_600_000);
  await sweep();
  expect(await read()).toEqual({ status: 'failed', isUnlisted: undefined });
  for await (const id of store.findDue(NOW + 7_200_000, 'active')) expect(id).not.toBe('e-1');
});

test('a synchronous run that fails also ends, and is in the sweep index until it is listed', async () => {
  const { store, exhaust, read, listed, sweep, pass } = await aStore('inline');
  await exhaust(FAILED);
  expect(await store.finish('e-1', anExecutionEnd({ status: 'failed' }))).toBe(true);
  expect(await read()).toEqual({ status: 'failed', isUnlisted: true });
  pass(3_600_000);
  const due: string[] = [];
  for await (const id of store.findDue(NOW + 3_600_000, 'active')) due.push(id);
  expect(due).toContain('e-1');
  await sweep();
  expect(await listed('failed')).toBe(1);
});

test('a synchronous run ends even while all of its indexes are throttled', async () => {
  const { store, exhaust, read } = await aStore('inline');
  await exhaust(SWEPT);
  await exhaust(FAILED);
  expect(await store.finish('e-1', anExecutionEnd({ status: 'failed', isInOutbox: true }))).toBe(true);
  expect(await read()).toEqual({ status: 'failed', isUnlisted: true });
});
