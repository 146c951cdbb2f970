import { describe, expect, test } from '@jest/globals';
import { aBurst, aLambdaOutage, aPause, aStoreOutage } from '../support/overload/scenarios.ts';
import { simulateOverload } from '../support/overload/simulate-overload.ts';

const SCALE = 400;

describe('a simulation of overload', () => {
  test('drains a burst in the calculated time if nothing is dispatched twice', async () => {
    const scenario = { ...aBurst('fifo'), sweeps: false, scale: SCALE };
    const found = await simulateOverload(scenario);
    // 100 a second too many for 15 minutes, and as many fewer afterwards; all wait for 90,000 / 300 s at most.
    expect(found.drainedAfterHours).toBeCloseTo(0.25, 1);
    expect(found.longestWaitHours).toBeCloseTo(300 / 3_600, 1);
    expect(found).toMatchObject({ uselessStarts: 0, overtaken: 0, refused: 0 });
  });

  // holds: overload-loses-nothing
  test('loses nothing that was accepted', async () => {
    for (const scenario of [aLambdaOutage, aStoreOutage, aPause]) {
      const found = await simulateOverload({ ...scenario, scale: SCALE * 5 });
      expect(found).toMatchObject({ notBegun: 0, failed: {} });
      const kept = scenario === aLambdaOutage ? found.refused : 0; // stored, and due
      expect(found.succeeded).toBe(found.accepted + kept);
    }
  });
});
