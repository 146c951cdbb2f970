import { expect, test } from '@jest/globals';
import { type FullLimit, simulateFullLimit } from '../support/overload/simulate-full-limit.ts';

/** So many runs that begin to call within a time. */
const arriving = (count: number, withinMs: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => (at * withinMs) / count);

const aSpike: FullLimit = {
  mode: 'durable',
  limits: { atOnce: 20 },
  arrivals: arriving(1_000, 1_000),
  takesMs: () => 2_000,
};

/** The fewest calls that were answered in ten seconds in which calls waited, as a part of what the API gives. */
const leastShare = (answered: readonly number[], perTenSeconds: number): number =>
  Math.min(...answered.slice(0, -2)) / perTenSeconds;

test.each<[string, Partial<FullLimit>, number]>([
  ['of an API whose calls take different times', { takesMs: (_at, random) => 200 + 3_600 * random() }, 100],
  ['of an API that becomes slower', { takesMs: (at) => (at < 5_000 ? 200 : 4_000) }, 50],
  ['of a store that is slow as well', { storeMs: 60 }, 100],
  ['of a slow API with one call at a time', { limits: { atOnce: 1 }, takesMs: () => 300 }, 33],
  ['with a rate that is lower', { limits: { atOnce: 20, perSecond: 5 } }, 48],
  ['with a rate that is higher', { limits: { atOnce: 20, perSecond: 50 } }, 100],
  [
    'whose processes crash now and then',
    { crashes: (run) => run % 50 === 0, arrivals: arriving(1_000, 4_000) },
    100,
  ],
])('a spike of a thousand durable runs drains at the speed %s', async (_of, changes, perTenSeconds) => {
  const { failed, succeeded, mostOpen, answered, postponed, operations } = await simulateFullLimit({
    ...aSpike,
    ...changes,
  });
  expect(failed).toEqual({});
  expect(succeeded).toBe(changes.crashes === undefined ? 1_000 : 980);
  expect(mostOpen).toBeLessThanOrEqual((changes.limits ?? aSpike.limits).atOnce ?? 0);
  expect(leastShare(answered, perTenSeconds)).toBeGreaterThan(0.5);
  expect(postponed.most).toBeLessThanOrEqual(10);
  expect(operations).toBeLessThan(30);
});

test('runs that began while an API was slow do not wait for as long as it would have taken', async () => {
  const { succeeded, endedAt } = await simulateFullLimit({
    ...aSpike,
    takesMs: (at) => (at < 60_000 ? 20_000 : 500),
  });
  expect(succeeded).toBe(1_000);
  expect(endedAt).toBeLessThan(600_000); // of 1,000 s
});
