import { describe, expect, test } from '@jest/globals';
import { createSlotStore } from '../../../lib/adapters/dynamodb/limits/slot-store.ts';
import type { ExecutionRecord } from '../../../lib/executions/record/execution-store.ts';
import { GROUP_SIZE, MAX_GROUPS } from '../../../lib/webhooks/limits/slots.ts';
import { createTakeSlot } from '../../../lib/webhooks/limits/take-slot.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { inMemorySlots } from '../../support/in-memory-stores.ts';
import { namePoints } from '../../support/named-points.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const workflowId = 'orders';

/** Processes that take slots of one store, for executions that run until they are ended. */
const aService = (processes = 1) => {
  const clock = aManualClock();
  const slots = inMemorySlots();
  const running = new Set<string>();
  const find = async (executionId: string) => {
    const status = running.has(executionId) ? 'running' : 'succeeded';
    return { status, mode: 'express', held: null } as ExecutionRecord;
  };
  const takers = Array.from({ length: processes }, () =>
    createTakeSlot({ slots, executions: { find }, clock, knownMs: 1_000 }),
  );
  let count = 0;
  const take = async (executionId: string, max: number, ended?: string): Promise<boolean> =>
    (await takers[count % processes]?.({ workflowId, executionId, max, ended })) === true;
  return {
    slots,
    running,
    take,
    /** @returns how many have begun */
    start: async (tries: number, max: number): Promise<number> => {
      const before = running.size;
      const ids = Array.from({ length: tries }, () => `e-${count++}`);
      for (const id of ids) running.add(id); // none is over while it is being started
      const taken = await Promise.all(ids.map((id) => take(id, max)));
      for (const [at, id] of ids.entries()) if (taken[at] !== true) running.delete(id);
      return running.size - before;
    },
    end: (ends: number): void => {
      for (const id of [...running].slice(0, ends)) running.delete(id);
      clock.advance(1_000); // for so long, it is believed that they run
    },
    /** As earlier releases have them. */
    takeInOneGroup: async (executions: number): Promise<void> => {
      for (let at = 0; at < executions; at++) {
        const slot = { executionId: `earlier-${at}`, takenAt: clock.now() };
        running.add(slot.executionId);
        await slots.take({ workflowId, group: 0, slot, max: 100, ended: [] });
      }
    },
  };
};

describe('a slot that two processes find free', () => {
  const openDatabase = useTestDatabases();

  /** Processes whose executions of one workflow run until they are ended, one at a time, on DynamoDB. */
  const aRace = async () => {
    const { client, tables } = await openDatabase();
    const clock = aManualClock();
    const { ports, hold } = namePoints({ slots: createSlotStore(client, tables) });
    const ended = new Set<string>();
    const find = async (id: string) =>
      ({ status: ended.has(id) ? 'succeeded' : 'running', mode: 'express', held: null }) as ExecutionRecord;
    const take = (executionId: string, max = 1) =>
      createTakeSlot({ slots: ports.slots, executions: { find }, clock, knownMs: 0 })({
        workflowId,
        executionId,
        max,
      });
    return { take, hold, ended, list: async () => (await ports.slots.list(workflowId, 1)).flat() };
  };

  test.each([
    ['since none is taken', null],
    ['since its execution has ended', 'e-0'],
  ])('%s is taken by one of them', async (_why, before) => {
    const { take, hold, ended, list } = await aRace();
    if (before !== null) {
      await take(before);
      ended.add(before);
    }
    const points = [hold('slots.take:before'), hold('slots.take:before')];
    const taking = [take('e-1'), take('e-2')];
    await Promise.all(points.map(({ reached }) => reached));
    points[1]?.release();
    expect(await taking[1]).toBe(true);
    points[0]?.release();
    expect(await taking[0]).toBe(false);
    expect(await list()).toMatchObject([{ executionId: 'e-2' }]);
  });

  test('beside another free one leaves that to the second', async () => {
    const { take, hold, ended, list } = await aRace();
    for (const id of ['e-0', 'e-1']) await take(id, 2);
    ended.add('e-0').add('e-1');
    const points = [hold('slots.take:before'), hold('slots.take:before')];
    const taking = [take('e-2', 2), take('e-3', 2)];
    await Promise.all(points.map(({ reached }) => reached));
    for (const { release } of points) release();
    expect(await Promise.all(taking)).toEqual([true, true]);
    expect((await list()).map(({ executionId }) => executionId).sort()).toEqual(['e-2', 'e-3']);
  });
});

describe('slots for concurrent executions', () => {
  test.each([1, 7, 15, 16, 40, 99, 100])('are as many as the limit allows: %d', async (max) => {
    const service = aService(3);
    for (let round = 0; round < 5; round++) {
      for (let tries = 0; tries < 10 && service.running.size < max; tries++) await service.start(60, max);
      expect(service.running.size).toBe(max);
      expect(await service.start(60, max)).toBe(0);
      service.end(Math.ceil(max / 3));
    }
  });

  test('are in groups that stay small, however many executions have had one', async () => {
    const { start, end, slots } = aService();
    for (let round = 0; round < 20; round++) {
      await start(100, 100);
      end(100);
    }
    const groups = await slots.list(workflowId, MAX_GROUPS);
    for (const held of groups) expect(held.length).toBeLessThanOrEqual(GROUP_SIZE);
    expect(groups.flat().length).toBeGreaterThan(0);
  });

  test('are kept by an execution that asks again', async () => {
    const { take, running } = aService();
    for (const id of 'ab') running.add(id);
    const asked = [];
    for (const id of 'aaba') asked.push(await take(id, 1));
    expect(asked).toEqual([true, true, false, true]);
  });

  test('of an earlier release count in one group; while more than its share are running, none is taken from it', async () => {
    const { takeInOneGroup, start, end, slots, running } = aService();
    await takeInOneGroup(60);
    expect(await start(60, 100)).toBe(40);
    end(10);
    expect(await start(60, 100)).toBe(10);
    const [first = []] = await slots.list(workflowId, 1);
    expect(first.every(({ executionId }) => executionId.startsWith('earlier'))).toBe(true);
    end(50); // the others of then
    expect(await start(60, 100)).toBe(50);
    expect(running.size).toBe(100);
    const groups = await slots.list(workflowId, MAX_GROUPS);
    for (const held of groups) expect(held.length).toBeLessThanOrEqual(GROUP_SIZE);
  });

  test('are unavailable until as few are running as a lowered limit allows', async () => {
    const { start, end, running } = aService(2);
    while (running.size < 100) await start(40, 100);
    const begun = [];
    for (const ends of [0, 70, 10, 3]) {
      end(ends);
      begun.push(await start(40, 20));
    }
    expect(begun).toEqual([0, 0, 0, 3]);
  });

  test('are passed on once by an ended execution', async () => {
    const { start, end, take, running } = aService();
    await start(60, 40);
    const [ended = ''] = running;
    end(1);
    for (const next of ['next', 'second']) running.add(next);
    expect(await take('next', 40, ended)).toBe(true);
    expect(await take('second', 40, ended)).toBe(false);
    running.delete('second');
    expect(running.size).toBe(40);
  });

  test('are not passed on while more are running than a lowered limit allows', async () => {
    const { start, end, take, running } = aService();
    while (running.size < 100) await start(40, 100);
    await start(1, 20); // finds that they do
    for (const ended of [...running].slice(0, 79)) {
      end(1);
      running.add('next');
      expect(await take('next', 20, ended)).toBe(false);
      running.delete('next');
    }
  });

  test('are available at once when the limit is raised', async () => {
    const { start } = aService();
    expect(await start(40, 10)).toBe(10);
    expect(await start(100, 80)).toBe(70);
  });
});
