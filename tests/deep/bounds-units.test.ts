import { afterEach, describe, expect, test } from '@jest/globals';
import { createCallbackIndex } from '../../lib/adapters/dynamodb/callbacks/callback-index.ts';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createHeldQueues } from '../../lib/adapters/dynamodb/held/held-queues.ts';
import { createJsonClient } from '../../lib/adapters/dynamodb/json-client.ts';
import { createSlotStore } from '../../lib/adapters/dynamodb/limits/slot-store.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import type { NodeRecord } from '../../lib/engine/result.ts';
import { createTakeSlot } from '../../lib/webhooks/limits/take-slot.ts';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';
import { type Metered, startMeteredDynamoDb } from '../support/a-metered-dynamodb.ts';
import { anExecutionEnd, anExecutionStart } from '../support/a-start.ts';

const NOW = 1_700_000_000_000;
const queue = { workflowId: 'orders', triggerNodeId: 'start' };

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const aMeteredStage = async () => {
  const database = await startEmbeddedDynamoDb('test');
  cleanups.push(database.stop);
  const meter = await startMeteredDynamoDb(database.endpoint, 'test');
  cleanups.push(meter.stop);
  const tables = tableNames('test');
  const open = (endpoint: string) => createJsonClient({ region: 'local', endpoint });
  const [client, uncounted] = [open(meter.endpoint), open(database.endpoint)];
  const clock = { now: () => NOW };
  return {
    client,
    uncounted,
    tables,
    executions: createExecutionStore(client, tables, { retentionDays: 30, clock }),
    queues: createHeldQueues(client, tables, { retentionDays: 30 }),
    /** Calls and units of what is done. */
    count: async (work: () => Promise<unknown>): Promise<Metered> => {
      meter.take();
      await work();
      return meter.take();
    },
  };
};

type Stage = Awaited<ReturnType<typeof aMeteredStage>>;

test('lists no longer read approvals of executions that ended before they were answered', async () => {
  const stage = await aMeteredStage();
  const { client, tables, executions } = stage;
  const callbacks = createCallbackIndex(client, tables, { now: () => NOW });
  const list = () =>
    stage.count(async () => expect(await callbacks.list(null, 10)).toEqual({ callbacks: [], next: null }));
  const none = await list();
  for (let at = 0; at < 5; at++) {
    const executionId = `e-${at}`;
    const names = [`ask/${at}/0`, 'each/0/0/ask/0/0'];
    await executions.start(anExecutionStart({ executionId, startToken: executionId }));
    for (const name of names) {
      const subject = {
        executionId,
        workflowId: 'orders',
        name,
        openedAt: NOW,
        publicUrl: '',
        question: {},
      };
      await executions.openCallback(executionId, name, {
        callbackId: name,
        expiresAt: NOW + 60_000,
        subject,
      });
    }
    const node: NodeRecord = {
      nodeId: 'ask',
      type: 'approval',
      status: 'waiting',
      iteration: 0,
      attempts: 1,
      startedAt: NOW,
      durationMs: 0,
      callbacks: names,
    };
    await executions.saveProgress(executionId, { status: 'waiting', nodes: [node], leaseExpiresAt: NOW });
    const record = await executions.find(executionId);
    await executions.finish(executionId, anExecutionEnd({ status: 'cancelled', nodes: record?.nodes ?? [] }));
  }
  expect(await list()).toEqual(none);
});

test('a place among a hundred concurrent executions costs one write unit', async () => {
  const { client, tables, executions, count } = await aMeteredStage();
  const slots = createSlotStore(client, tables);
  const takeSlot = createTakeSlot({ slots, executions, clock: { now: () => NOW }, knownMs: 1_000 });
  const take = (at: number) =>
    count(async () =>
      expect(await takeSlot({ workflowId: 'orders', executionId: `${at}`.padEnd(43, 'x'), max: 100 })).toBe(
        true,
      ),
    );
  await take(0); // looks at all groups
  for (let at = 1; at < 70; at++)
    expect(await take(at)).toMatchObject({ reads: 0, writes: 1, writeUnits: 1 });
  for (let at = 70; at < 100; at++) expect((await take(at)).writeUnits).toBeLessThanOrEqual(2); // where its own group is full
  const refused = await count(async () =>
    expect(await takeSlot({ workflowId: 'orders', executionId: 'one-more', max: 100 })).toBe(false),
  );
  expect(refused).toMatchObject({ writeUnits: 1 });
  const next = await count(async () => {
    const ended = '0'.padEnd(43, 'x');
    expect(await takeSlot({ workflowId: 'orders', executionId: 'next', max: 100, ended })).toBe(true);
  });
  expect(next).toMatchObject({ reads: 0, writes: 1, writeUnits: 1 });
  expect(Math.max(...refused.keys.map(({ writeUnits }) => writeUnits))).toBe(1);
});

describe('a queue of held executions', () => {
  const hold = async ({ executions }: Stage, at: number, place?: number): Promise<void> => {
    const executionId = `e-${at}`;
    await executions.start(
      anExecutionStart({ executionId, startToken: executionId, held: 'concurrency', startedAt: NOW, place }),
    );
  };

  /** As releases have put them in that knew of no places. */
  const holdWithoutPlace = async ({ uncounted, tables }: Stage, at: number): Promise<void> => {
    await uncounted.putItem({
      TableName: tables.executions,
      Item: {
        executionId: { S: `earlier-${at}`.padEnd(2_000, '-') },
        sweepShard: { S: 'held:orders/start' },
        sweepAt: { S: new Date(NOW + at).toISOString() },
        schema: { N: '3' },
      },
    });
  };

  test.each([1, 60])('costs the same to measure and enter with %d waiting', async (waiting) => {
    const stage = await aMeteredStage();
    for (let at = 0; at < waiting; at++) await hold(stage, at);
    const measured = await stage.count(async () =>
      expect(await stage.queues.measure(queue)).toEqual({ waiting, lastPlace: waiting }),
    );
    expect(measured).toMatchObject({ reads: 3, readUnits: 1.5, writes: 0 });
    const entered = await stage.count(() => stage.queues.enter(queue, { now: NOW, maxPlace: 1_000 }));
    expect(entered).toMatchObject({ reads: 0, writes: 1, writeUnits: 1 });
    const refused = await stage.count(() => stage.queues.enter(queue, { now: NOW, maxPlace: waiting + 1 }));
    expect(refused).toMatchObject({ reads: 0, writes: 1, writeUnits: 1 });
  });

  test('costs a waiting run no more writes than the release before it', async () => {
    const stage = await aMeteredStage();
    await hold(stage, 0);
    const held = await stage.count(() => hold(stage, 1));
    const released = await stage.count(() =>
      stage.queues.release('e-1', {
        workflowVersion: 1,
        mode: 'express',
        acceptedMode: 'express',
        releasedAt: NOW,
      }),
    );
    // The data, the queue, the record with three indexes; the record with two entries of the index of sweeps.
    expect([held.writes, held.writeUnits]).toEqual([3, 6]);
    expect([released.writes, released.writeUnits]).toEqual([1, 3]);
  });

  test('counts those of an earlier release to the end, and those added since', async () => {
    const stage = await aMeteredStage();
    const EARLIER = 600; // more than a page of 1 MB
    for (let at = 0; at < EARLIER; at++) await holdWithoutPlace(stage, at);
    expect(await stage.queues.measure(queue)).toEqual({ waiting: EARLIER, lastPlace: 0 });
    await hold(stage, 1);
    expect(await stage.queues.measure(queue)).toEqual({ waiting: EARLIER + 1, lastPlace: 1 });
  });
});
