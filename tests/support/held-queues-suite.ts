import { describe, expect, test } from '@jest/globals';
import type { HeldQueues } from '../../lib/executions/held-queues.ts';
import type { ExecutionStart, ExecutionStore } from '../../lib/executions/record/execution-store.ts';
import { aLease, anExecutionEnd, anExecutionStart, dueIn } from './a-start.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const queue = { workflowId: 'orders', triggerNodeId: 'start' };
const other = { workflowId: 'orders', triggerNodeId: 'a/b:c' };

const aHeld = (executionId: string, changes: Partial<ExecutionStart> = {}) =>
  anExecutionStart({ executionId, startToken: executionId, held: 'paused', startedAt: NOW, ...changes });

const release = {
  workflowVersion: 4,
  mode: 'durable',
  acceptedMode: 'durable',
  releasedAt: NOW + HOUR,
} as const;

const collect = async <Value>(values: AsyncIterable<Value>): Promise<Value[]> => {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
};

/** The contract of {@link HeldQueues}. @param create - makes empty stores, at the time {@link NOW} */
export const describeHeldQueues = (
  name: string,
  create: () => Promise<{ readonly executions: ExecutionStore; readonly queues: HeldQueues }>,
) => {
  describe(`${name} keeps held executions`, () => {
    // holds: held-runs-start-once
    test('in the queues of their triggers, in order of arrival', async () => {
      const { executions, queues } = await create();
      const ids = Array.from({ length: 30 }, (_, at) => `e-${at + 10}`);
      for (const [at, id] of ids.entries()) await executions.start(aHeld(id, { startedAt: NOW - at }));
      await executions.start(
        aHeld('o', { trigger: { nodeId: other.triggerNodeId, type: 'webhookTrigger' } }),
      );
      await executions.start(anExecutionStart({ executionId: 'free', startedAt: NOW }));
      expect(await collect(queues.find(queue))).toEqual(ids);
      expect(await collect(queues.find(other))).toEqual(['o']);
      expect(await queues.measure(queue)).toEqual({ waiting: 30, lastPlace: 30 });
      expect(await queues.measure(other)).toEqual({ waiting: 1, lastPlace: 1 });
      const inUse = await collect(queues.list());
      expect(inUse).toHaveLength(2);
      expect(inUse).toEqual(expect.arrayContaining([queue, other]));
    });

    test('with the reason, in the record and in lists, and out of the sweep', async () => {
      const { executions, queues } = await create();
      expect(await executions.start(aHeld('e-1', { held: 'concurrency' }))).toBe(true);
      expect(await executions.find('e-1')).toMatchObject({
        status: 'accepted',
        held: 'concurrency',
        releasedAt: null,
        leaseExpiresAt: null,
      });
      const { executions: listed } = await executions.list({ workflowId: 'orders', limit: 9 });
      expect(listed).toMatchObject([{ executionId: 'e-1', held: 'concurrency' }]);
      expect(await dueIn(executions, NOW + 1_000 * HOUR)).toEqual([]);
      expect(await queues.measure(queue)).toEqual({ waiting: 1, lastPlace: 1 });
    });

    test('and counts those that wait, whichever have left', async () => {
      const { executions, queues } = await create();
      expect(await queues.measure(queue)).toEqual({ waiting: 0, lastPlace: 0 });
      for (let at = 0; at < 6; at++) await executions.start(aHeld(`e-${at}`, { startedAt: NOW + at }));
      expect(await queues.measure(queue)).toEqual({ waiting: 6, lastPlace: 6 });
      await executions.finish('e-3', anExecutionEnd({ status: 'cancelled', leavesQueue: true }));
      expect(await queues.measure(queue)).toEqual({ waiting: 6, lastPlace: 6 }); // until those before it have left
      for (const [at, waiting] of [5, 4, 2, 2, 1, 0].entries()) {
        await queues.release(`e-${at}`, release);
        expect(await queues.measure(queue)).toEqual({ waiting, lastPlace: 6 });
      }
    });

    test('up to the limit, also when ten enter at once', async () => {
      const { executions, queues } = await create();
      const enter = (maxPlace: number) => queues.enter(queue, { now: NOW, maxPlace });
      const all = await Promise.all(Array.from({ length: 10 }, () => enter(7)));
      const places = all.filter((place) => place !== null).sort((a, b) => a - b);
      expect(places).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await collect(queues.list())).toEqual([queue]);
      // Those that were killed before they stored an execution count until one behind them is the first.
      expect(await queues.measure(queue)).toEqual({ waiting: 0, lastPlace: 7 });
      const place = (await enter(8)) ?? undefined;
      expect(await executions.start(aHeld('e-1', { place }))).toBe(true);
      expect(await queues.measure(queue)).toEqual({ waiting: 1, lastPlace: 8 });
      expect(await enter(8)).toBeNull();
    });

    // holds: held-runs-start-once
    test('until one of several processes releases them, with another version and mode', async () => {
      const { executions, queues } = await create();
      await executions.start(aHeld('e-1', { mode: 'express' }));
      const release1 = { ...release, acceptedMode: 'express' } as const;
      const all = await Promise.all(['a', 'b', 'c'].map(() => queues.release('e-1', release1)));
      expect(all.sort()).toEqual([false, false, true]);
      expect(await executions.find('e-1')).toMatchObject({
        status: 'accepted',
        held: null,
        releasedAt: NOW + HOUR,
        workflowVersion: 4,
        mode: 'durable',
        leaseExpiresAt: NOW + HOUR + 900_000,
      });
      expect(await executions.findData('e-1')).toMatchObject({ input: 'j{"body":1}' });
      expect(await collect(queues.find(queue))).toEqual([]);
      expect(await dueIn(executions, NOW + HOUR + 119_999)).toEqual([]);
      expect(await dueIn(executions, NOW + HOUR + 900_000)).toEqual(['e-1']);
      expect(await executions.acquireLease('e-1', aLease())).toMatchObject({ status: 'running' });
    });

    test('and gives them the variables of the version that they run with, once', async () => {
      const { executions, queues } = await create();
      await executions.start(aHeld('e-1', { variables: { region: 'a' } }));
      expect(await executions.findData('e-1')).toMatchObject({ variables: { region: 'a' } });
      expect(await queues.release('e-1', { ...release, variables: { region: 'b' } })).toBe(true);
      expect(await executions.findData('e-1')).toMatchObject({ variables: { region: 'b' } });
      expect(await queues.release('e-1', { ...release, variables: { region: 'c' } })).toBe(false);
      expect(await executions.findData('e-1')).toMatchObject({ variables: { region: 'b' } });
    });

    test.each(['unknown', 'free', 'cancelled'])('and releases nothing else: %s', async (id) => {
      const { executions, queues } = await create();
      await executions.start(anExecutionStart({ executionId: 'free', startToken: 'free', startedAt: NOW }));
      await executions.start(aHeld('cancelled'));
      await executions.finish('cancelled', anExecutionEnd({ status: 'cancelled', leavesQueue: true }));
      const before = await executions.find(id);
      expect(await queues.release(id, release)).toBe(false);
      expect(await executions.find(id)).toEqual(before);
    });

    test.each([true, false])(
      'and removes finished ones from their queue; in the outbox: %s',
      async (isInOutbox) => {
        const { executions, queues } = await create();
        await executions.start(aHeld('e-1'));
        const end = { status: 'cancelled', endedAt: NOW, isInOutbox, leavesQueue: true } as const;
        expect(await executions.finish('e-1', anExecutionEnd(end))).toBe(true);
        expect(await executions.find('e-1')).toMatchObject({ status: 'cancelled', held: null });
        expect(await collect(queues.find(queue))).toEqual([]);
        expect(await dueIn(executions, NOW + HOUR)).toEqual(isInOutbox ? ['e-1'] : []);
      },
    );

    test('and lets one process at a time work on a queue, and another one after its time is over', async () => {
      const { executions, queues } = await create();
      expect(await queues.attend(queue, NOW, NOW + 60_000)).toBe(false); // it is not in use
      await executions.start(aHeld('e-1'));
      const all = await Promise.all([1, 2, 3].map((more) => queues.attend(queue, NOW, NOW + 60_000 + more)));
      expect(all.sort()).toEqual([false, false, true]);
      await executions.start(aHeld('e-2'));
      expect(await queues.attend(queue, NOW + 59_999, NOW + 120_000)).toBe(false);
      expect(await queues.attend(queue, NOW + 60_003, NOW + 120_000)).toBe(true);
      await queues.leave(queue);
      await queues.leave(queue);
      expect(await queues.attend(queue, NOW + 60_004, NOW + 120_000)).toBe(true);
      expect(await collect(queues.list())).toEqual([queue]);
    });

    test('and marks a queue as used until it is closed, unless it was used again', async () => {
      const { executions, queues } = await create();
      await executions.start(aHeld('e-1'));
      await queues.close(queue, NOW);
      expect(await collect(queues.list())).toEqual([queue]);
      await queues.close(queue, NOW + 1);
      await queues.close(queue, NOW + 1);
      expect(await collect(queues.list())).toEqual([]);
      await executions.start(aHeld('e-2'));
      expect(await collect(queues.list())).toEqual([queue]);
    });
  });
};
