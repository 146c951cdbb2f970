import { describe, expect, test } from '@jest/globals';
import { createDeliveryStore } from '../../../lib/adapters/dynamodb/delivery-store.ts';
import { createExecutionStore } from '../../../lib/adapters/dynamodb/executions/execution-store.ts';
import { acceptDelivery, claimDelivery } from '../../../lib/executions/deliveries/claim-delivery.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { aWorkflow } from '../../support/a-workflow.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';
import { namePoints } from '../../support/named-points.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();

const WINDOW_MS = 60_000;

/** Processes that take deliveries of one key, on DynamoDB. */
const aDesk = async () => {
  const clock = aManualClock();
  const { client, tables } = await openDatabase();
  const executions = createExecutionStore(client, tables, { retentionDays: 30, clock });
  const dispatched: string[] = [];
  const { ports, task, ...points } = namePoints({
    executions,
    claims: createDeliveryStore(client, tables),
    dispatcher: { dispatch: async (executionId: string) => void dispatched.push(executionId) },
  });
  let ids = 0;
  const parts = {
    executions: ports.executions,
    deliveries: ports.claims,
    dispatcher: ports.dispatcher,
    blobs: inMemoryBlobs(),
    clock,
    logger: aRecordingLogger().logger,
    windowMs: WINDOW_MS,
    ids: { next: () => `id-${ids++}` },
  };
  const workflow = { version: 1, updatedAt: '2026-01-01T00:00:00.000Z', definition: aWorkflow() };
  /** Each delivery is a millisecond later than the one before, so that its claim is for another execution. */
  const deliver = () => {
    clock.advance(1);
    const receivedAt = clock.now();
    return task(async () => {
      const claimed = await claimDelivery(
        {
          execution: {
            workflow,
            trigger: { nodeId: 'request', type: 'webhookTrigger' },
            input: {},
            traceparent: null,
            keepsResult: false,
          },
          key: 'k-1',
          content: '{}',
          receivedAt,
        },
        parts,
      );
      await acceptDelivery(claimed, 'express', parts);
      return claimed.execution.executionId;
    });
  };
  const stored = async () =>
    (await executions.list({ workflowId: workflow.definition.id, limit: 10 })).executions.map(
      ({ executionId }) => executionId,
    );
  return { ...points, clock, deliver, dispatched, stored };
};

describe('a delivery that comes again', () => {
  // holds: B2
  test.each([
    ['the first', [0, 1]],
    ['the second', [1, 0]],
  ])('while neither is claimed starts the execution of %s to be claimed', async (_which, order) => {
    const { hold, deliver, dispatched, stored } = await aDesk();
    const points = [hold('claims.claim:before'), hold('claims.claim:before')];
    const deliveries = [deliver(), deliver()];
    await Promise.all(points.map(({ reached }) => reached));
    const started = [];
    for (const at of order) {
      points[at]?.release();
      started.push(await deliveries[at]);
    }
    expect(started[1]).toBe(started[0]);
    expect([dispatched, await stored()]).toEqual([[started[0]], [started[0]]]);
  });

  // holds: B2
  test('while both start it is stored and dispatched once', async () => {
    const { hold, deliver, dispatched, stored } = await aDesk();
    const points = [hold('executions.start:before'), hold('executions.start:before')];
    const deliveries = [deliver(), deliver()];
    await Promise.all(points.map(({ reached }) => reached));
    for (const { release } of points) release();
    const [first, second] = await Promise.all(deliveries);
    expect(second).toBe(first);
    expect([dispatched, await stored()]).toEqual([[first], [first]]);
  });

  // holds: B2
  test('after a crash behind its claim starts what was claimed', async () => {
    const { kill, deliver, dispatched, stored } = await aDesk();
    const claimed = kill('claims.claim:after');
    void deliver();
    await claimed.reached;
    expect(await stored()).toEqual([]);
    const started = [await deliver(), await deliver()];
    expect(started[1]).toBe(started[0]);
    expect([dispatched, await stored()]).toEqual([[started[0]], [started[0]]]);
  });

  // holds: B1, B2
  test('after a crash in front of its dispatch is dispatched, once that is surely not in progress', async () => {
    const { kill, deliver, dispatched, stored, clock } = await aDesk();
    const begun = kill('executions.start:after');
    void deliver();
    await begun.reached;
    const started = await deliver();
    expect([dispatched, await stored()]).toEqual([[], [started]]);
    clock.advance(10_000);
    await deliver();
    expect([dispatched, await stored()]).toEqual([[started], [started]]);
  });
});

test('a claim that is removed between the refused write and the read is claimed anew', async () => {
  const { client, tables } = await openDatabase();
  const { ports, hold } = namePoints({ client });
  const store = createDeliveryStore(ports.client, tables);
  const claim = { deliveryId: 'd-1', executionId: 'e-1', bodyHash: 'a', claimedAt: 1, until: 9 };
  await store.claim(claim);
  const reading = hold('client.getItem:before');
  const claiming = store.claim({ ...claim, executionId: 'e-2' });
  await reading.reached;
  await client.deleteItem({ TableName: tables.deliveries, Key: { deliveryId: { S: 'd-1' } } });
  reading.release();
  expect(await claiming).toMatchObject({ executionId: 'e-2' });
  expect(await store.find('d-1')).toMatchObject({ executionId: 'e-2' });
});
