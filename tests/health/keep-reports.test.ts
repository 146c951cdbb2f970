import { expect, test } from '@jest/globals';
import { createKeeper } from '../../lib/health/keep-reports.ts';
import { aManualClock } from '../support/a-manual-clock.ts';

const aKeeper = () => {
  const clock = aManualClock();
  const keep = createKeeper<number>({ clock, ttlMs: 5_000 });
  let works = 0;
  const work = async () => {
    works += 1;
    return works;
  };
  return { clock, keep, work };
};

test('a value is kept from the end of its work', async () => {
  const { clock, keep, work } = aKeeper();
  const slow = async () => {
    await clock.sleep(7_000);
    return work();
  };
  const first = keep('a', slow);
  clock.advance(6_000);
  const second = keep('a', slow); // shares the work, although it lasts longer than a value is kept
  clock.advance(1_000);
  expect(await first).toEqual({ value: 1, expiresAt: clock.now() + 5_000 });
  expect((await second).value).toBe(1);
  clock.advance(4_999);
  expect((await keep('a', work)).value).toBe(1);
  clock.advance(1);
  expect((await keep('a', work)).value).toBe(2);
});

test('each key has its own', async () => {
  const { keep, work } = aKeeper();
  expect([(await keep('a', work)).value, (await keep('b', work)).value]).toEqual([1, 2]);
});

test('a failure is not kept', async () => {
  const { keep, work } = aKeeper();
  await expect(keep('a', () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
  expect((await keep('a', work)).value).toBe(1);
});

test('work that never ends is shared for half a minute', async () => {
  const { clock, keep, work } = aKeeper();
  void keep('a', () => new Promise(() => {}));
  clock.advance(30_000);
  expect((await keep('a', work)).value).toBe(1);
});

test('nothing lives longer when the clock was set back', async () => {
  const { clock, keep, work } = aKeeper();
  await keep('a', work);
  clock.advance(-60_000);
  expect((await keep('a', work)).value).toBe(2);
});

test('the number of kept keys is limited', async () => {
  const { keep, work } = aKeeper();
  for (let at = 0; at < 201; at++) await keep(String(at), work);
  expect((await keep('0', work)).value).toBe(202);
});
