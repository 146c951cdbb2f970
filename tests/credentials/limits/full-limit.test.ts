import { expect, test } from '@jest/globals';
import { type FullLimit, simulateFullLimit } from '../../support/overload/simulate-full-limit.ts';

/** So many runs that begin to call within a time. */
const arriving = (count: number, withinMs: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => (at * withinMs) / count);

const aSpike: FullLimit = {
  mode: 'durable',
  limits: { atOnce: 20 },
  arrivals: arriving(1_000, 1_000),
  takesMs: () => 2_000,
};

test('a spike of a thousand durable runs drains at the speed of a slow API', async () => {
  const { failed, succeeded, mostOpen, answered, postponed } = await simulateFullLimit(aSpike);
  expect([failed, succeeded, mostOpen]).toEqual([{}, 1_000, 20]);
  // Ten a second is what the API gives.
  expect(Math.min(...answered.slice(0, -2))).toBeGreaterThan(50);
  expect(postponed.most).toBeLessThanOrEqual(10);
});

test('a store that throttles slows runs, and fails none', async () => {
  const { failed, succeeded, throttled } = await simulateFullLimit({
    ...aSpike,
    limits: { atOnce: 50 },
    arrivals: arriving(300, 1_000),
    writesPerSecond: 60,
  });
  expect(throttled).toBeGreaterThan(100);
  expect([failed, succeeded]).toEqual([{}, 300]);
});

test('runs that wait in their process use all that the API gives in their time, and then say why they fail', async () => {
  const express: FullLimit = {
    ...aSpike,
    mode: 'express',
    limits: { atOnce: 5 },
    arrivals: arriving(300, 1_000),
  };
  const quick = await simulateFullLimit({ ...express, takesMs: () => 300 });
  expect([quick.failed, quick.succeeded]).toEqual([{}, 300]);
  const slow = await simulateFullLimit(express);
  expect(Object.keys(slow.failed)).toEqual(['CallLimitReached']);
  expect(slow.succeeded).toBeGreaterThan(65); // of 75 in 30 s
});
