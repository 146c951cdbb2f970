import { describe, expect, test } from '@jest/globals';
import { openPaces } from '../../lib/executions/paces.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const RATES = { durable: 100, express: 100, again: 100, status: 100 };

/** Calls as fast as it may, from many workers. @param quota - of a second; the rest is refused */
const callFor = async (seconds: number, quota: (second: number) => number, workers = 30) => {
  const { clock, run } = aVirtualClock(0);
  const { durable: pace } = openPaces(RATES, clock);
  const accepted = Array.from({ length: seconds }, () => 0);
  const refused = Array.from({ length: seconds }, () => 0);
  let longestTurn = 0;
  let isOpen = true;
  const call = async (): Promise<void> => {
    while (isOpen && clock.now() < seconds * 1_000) {
      const before = clock.now();
      const isOurs = await pace.turn();
      longestTurn = Math.max(longestTurn, clock.now() - before);
      const second = Math.floor(clock.now() / 1_000);
      if (!isOurs) isOpen = false;
      else if ((accepted[second] ?? 0) < quota(second)) {
        accepted[second] = (accepted[second] ?? 0) + 1;
        pace.accepted();
      } else {
        refused[second] = (refused[second] ?? 0) + 1;
        pace.refused();
      }
    }
  };
  await run(Promise.all(Array.from({ length: workers }, call)));
  return { accepted, refused, longestTurn, isOpen, endedAt: clock.now() };
};

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

describe('a pace', () => {
  test('begins with a quarter of its rate, and reaches all of it in a quarter of a minute', async () => {
    const { accepted } = await callFor(30, () => 1_000);
    expect(accepted[0]).toBeLessThan(35);
    expect(accepted[14]).toBeLessThanOrEqual(100);
    for (const count of accepted.slice(16, -1)) expect(count).toBeCloseTo(100, -1);
  });

  test('approaches what others leave of a quota, and is rarely refused', async () => {
    const { accepted, refused } = await callFor(300, () => 40);
    expect(sum(accepted)).toBeGreaterThan(300 * 40 * 0.6);
    expect(sum(refused)).toBeLessThan(sum(accepted) / 10);
  });

  test('uses a quota that becomes available again', async () => {
    const { accepted } = await callFor(60, (second) => (second < 30 ? 20 : 1_000));
    expect(accepted[58]).toBeGreaterThan(90);
  });

  test('stops after ten seconds of refusals only, and no worker has waited for long until then', async () => {
    const { isOpen, refused, endedAt, longestTurn } = await callFor(60, () => 0);
    expect(isOpen).toBe(false);
    expect(endedAt).toBeGreaterThanOrEqual(9_000);
    expect(endedAt).toBeLessThan(15_000);
    expect(sum(refused)).toBeLessThan(200);
    expect(longestTurn).toBeLessThan(5_000);
  });

  test('continues after nine seconds of refusals', async () => {
    const { isOpen, accepted } = await callFor(40, (second) => (second < 8 ? 0 : 1_000));
    expect(isOpen).toBe(true);
    expect(accepted[38]).toBeGreaterThan(90);
  });
});
