import { describe, expect, test } from '@jest/globals';
import { aBurst, aLambdaOutage, aPause, scenarios } from '../support/overload/scenarios.ts';
import { simulateOverload } from '../support/overload/simulate-overload.ts';

/** Quotas stay whole numbers. */
const SCALE = 100;

test('no overload loses what was accepted, or what its caller may count on', async () => {
  for (const { scenario } of scenarios) {
    const found = await simulateOverload({ ...scenario, endMs: 3 * 3_600_000, scale: SCALE });
    const kept = scenario.isKeyed === true && scenario.storeDown === undefined ? found.refused : 0;
    expect(found.succeeded + found.notBegun).toBe(found.accepted + kept);
    expect(found.failed).toEqual({});
  }
});

test('a pause of an hour drains within an hour', async () => {
  const { drainedAfterHours } = await simulateOverload({ ...aPause, scale: SCALE });
  expect(drainedAfterHours).toBeLessThanOrEqual(1);
});

/** What is not true yet: each of these begins to fail when it is. */
describe('drains within an hour', () => {
  test.failing.each([
    ['a burst, where Lambda queues in order', aBurst('fifo', 2)],
    ['a burst, where Lambda refuses, of requests with a key', { ...aBurst('refuse', 4), isKeyed: true }],
    ['an hour without Lambda', aLambdaOutage],
  ])('%s', async (_title, scenario) => {
    const { drainedAfterHours } = await simulateOverload({ ...scenario, scale: SCALE });
    expect(drainedAfterHours).not.toBeNull();
    expect(drainedAfterHours).toBeLessThanOrEqual(1);
  });
});
