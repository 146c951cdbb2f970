import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { workThrough } from '../../lib/shared/work-through.ts';

/** Works on numbers, and notes what was begun and how many were worked on at the same time. */
const aWork = (failsAt: number | null = null) => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const work = async (item: number): Promise<void> => {
    begun.push(item);
    most = Math.max(most, ++running);
    for (let turn = 0; turn <= item % 3; turn++) await setImmediate();
    running--;
    if (item === failsAt) throw new Error(`failed at ${item}`);
  };
  return { work, begun, state: () => ({ running, most }) };
};

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

async function* inPages(items: readonly number[]): AsyncGenerator<number> {
  for (const item of items) {
    if (item % 4 === 0) await setImmediate();
    yield item;
  }
}

test('each item is processed once, in order, with limited concurrency', async () => {
  const options = { atOnce: fc.integer({ min: 1, max: 8 }), count: fc.nat(30), isPaged: fc.boolean() };
  await fc.assert(
    fc.asyncProperty(fc.record(options), async ({ atOnce, count, isPaged }) => {
      const { work, begun, state } = aWork();
      const items = isPaged ? inPages(upTo(count)) : upTo(count);
      expect(await workThrough(items, { atOnce, mayGoOn: () => true }, work)).toBe(true);
      expect(begun).toEqual(upTo(count));
      expect(state().running).toBe(0);
      expect(state().most).toBeLessThanOrEqual(atOnce);
      if (!isPaged) expect(state().most).toBe(Math.min(atOnce, count));
    }),
    { numRuns: 30 },
  );
});

test('no item begins once processing may not continue', async () => {
  const { work, begun, state } = aWork();
  const isWhole = await workThrough(inPages(upTo(20)), { atOnce: 3, mayGoOn: () => begun.length < 5 }, work);
  expect(isWhole).toBe(false);
  expect(begun.length).toBeGreaterThanOrEqual(5);
  expect(begun.length).toBeLessThanOrEqual(7); // those that had asked before
  expect(state().running).toBe(0);
});

test('no item begins once one has failed, and running ones have ended', async () => {
  const { work, begun, state } = aWork(4);
  await expect(workThrough(upTo(20), { atOnce: 3, mayGoOn: () => true }, work)).rejects.toThrow(
    'failed at 4',
  );
  expect(begun.length).toBeLessThan(9);
  expect(state().running).toBe(0);
});

test('an unreadable list fails', async () => {
  async function* unreadable(): AsyncGenerator<number> {
    yield 1;
    throw new Error('no second page');
  }
  const { work, begun } = aWork();
  await expect(workThrough(unreadable(), { atOnce: 2, mayGoOn: () => true }, work)).rejects.toThrow(
    'no second page',
  );
  expect(begun).toEqual([1]);
});
