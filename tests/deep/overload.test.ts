import { describe, expect, test } from '@jest/globals';
import {
  aBurst,
  aLambdaOutage,
  aLambdaOutageOfDurable,
  aLongBurst,
  aPause,
  aPauseOfDurable,
  aStoreOutage,
  aStoreOutageOfDurable,
  scenarios,
} from '../support/overload/scenarios.ts';
import { simulateOverload } from '../support/overload/simulate-overload.ts';

/** Quotas stay whole numbers. */
const SCALE = 100;

// holds: overload-loses-nothing
test('no overload loses what was accepted or what its caller may count on', async () => {
  for (const { scenario } of scenarios) {
    const found = await simulateOverload({ ...scenario, endMs: 3 * 3_600_000, scale: SCALE });
    const kept = scenario.isKeyed === true && scenario.storeDown === undefined ? found.refused : 0;
    expect(found.succeeded + found.notBegun).toBe(found.accepted + kept);
    expect(found.failed).toEqual({});
  }
});

describe('drains within an hour of the end of the overload, oldest first', () => {
  test.each([
    ['a burst, where Lambda queues in order', aBurst('fifo', 2)],
    ['a burst, where Lambda refuses, of requests with a key', { ...aBurst('refuse', 4), isKeyed: true }],
    ['a burst of an hour, where Lambda refuses', { ...aLongBurst('refuse'), isKeyed: true }],
    ['a pause of an hour', aPause],
    ['a pause of an hour, durable, where Lambda queues', aPauseOfDurable('backoff')],
    ['a pause of an hour, durable, where Lambda refuses', aPauseOfDurable('refuse')],
    ['an hour without Lambda', aLambdaOutage],
    ['an hour without a store', aStoreOutage],
    ['an hour without a store, durable', aStoreOutageOfDurable],
  ])('%s', async (_title, scenario) => {
    const { drainedAfterHours, overtaken, uselessStarts } = await simulateOverload({
      ...scenario,
      scale: SCALE,
    });
    expect(drainedAfterHours).not.toBeNull();
    expect(drainedAfterHours).toBeLessThanOrEqual(1);
    expect(overtaken).toBeLessThan(0.01);
    expect(uselessStarts).toBe(0);
  });
});

/** Lambda has these in its queue, and takes them out in an order of its own, or gives them up. */
describe('drains in Lambda’s own order', () => {
  test.each([
    ['a burst, where Lambda tries again later and later', aBurst('backoff', 2), 1],
    ['a burst of an hour, where Lambda queues in order and gives up what is too old', aLongBurst('fifo'), 1],
    ['… and tries again later and later', aLongBurst('backoff'), 1.5],
    ['an hour without Lambda, durable', aLambdaOutageOfDurable, 1.25],
  ])('%s', async (_title, scenario, hours) => {
    const { drainedAfterHours, uselessStarts } = await simulateOverload({ ...scenario, scale: SCALE });
    expect(drainedAfterHours).not.toBeNull();
    expect(drainedAfterHours).toBeLessThanOrEqual(hours);
    expect(uselessStarts).toBe(0);
  });
});

test('a simulation has the same result at another scale', async () => {
  const [one, other] = await Promise.all(
    [2 * SCALE, 4 * SCALE].map((scale) => simulateOverload({ ...aLambdaOutage, scale })),
  );
  expect((one?.hours[0]?.notBegun ?? 0) / (other?.hours[0]?.notBegun ?? 1)).toBeCloseTo(1, 1);
  expect((one?.longestWaitHours ?? 0) / (other?.longestWaitHours ?? 1)).toBeCloseTo(1, 1);
  expect(one?.drainedAfterHours).toBeCloseTo(other?.drainedAfterHours ?? 0, 1);
});
