import { expect, test } from '@jest/globals';
import { type Happening, noCounts } from '../../../lib/executions/statistics/counts.ts';
import { HOUR_MS, hourOf } from '../../../lib/executions/statistics/statistics-store.ts';
import { createWatchLimits, type LimitNews } from '../../../lib/executions/statistics/watch-limits.ts';
import type { NotedCost } from '../../../lib/workflows/definition/cost-limit.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aUsage } from '../../support/a-usage.ts';

const NOON = Date.parse('2026-11-28T12:00:00Z');

/** A stage whose workflow `orders` has a limit of $10, and executions that cost what a test says. */
const aStage = () => {
  const clock = aManualClock(NOON);
  const spent: { readonly at: number; readonly dollars: number }[] = [];
  const told: string[] = [];
  const reads: number[] = [];
  let limit: number | null = 10;
  let noted: NotedCost | null = null;
  let notes = 0;
  const aProcess = () =>
    createWatchLimits({
      statistics: {
        read: async function* (_workflowId, from, to) {
          reads.push(Math.round((to - from) / HOUR_MS));
          for (const { at, dollars } of spent)
            if (hourOf(at) >= from && hourOf(at) <= to) {
              const usage = aUsage({ microDollars: dollars * 1e6 });
              yield { hour: hourOf(at), counts: { ...noCounts(), measured: 1, usage } };
            }
        },
      },
      notes: {
        find: async () => ({ limit, noted }),
        note: async (_workflowId, note) => {
          notes += 1;
          noted = note;
        },
      },
      tell: async ({ share, isReached, dollars }: LimitNews) => {
        if (isReached) told.push(`${share} % at $${dollars.toFixed(2)}`);
        else told.push(`not ${share} %`);
      },
      region: 'us-east-1',
      clock,
    });
  let watch = aProcess();
  const ended = (maxCost?: number): Happening => ({
    kind: 'ended',
    workflowId: 'orders',
    at: clock.now(),
    status: 'succeeded',
    durationMs: 1,
    nodes: [],
    usage: null,
    ...(maxCost === undefined ? {} : { maxCost }),
  });
  return {
    clock,
    reads,
    noted: () => noted,
    notes: () => notes,
    restart: () => {
      watch = aProcess();
    },
    setLimit: (next: number | null) => {
      limit = next;
    },
    /** Executions cost so many dollars; then a batch is counted. @returns what is told */
    spend: async (dollars: number, { at = clock.now(), maxCost = limit ?? undefined } = {}) => {
      spent.push({ at, dollars });
      await watch([{ sequence: 1n, happenings: [ended(maxCost)] }]);
      return told.splice(0).filter((one) => !one.startsWith('not'));
    },
    settled: () => told.splice(0),
    pass: () => watch([{ sequence: 1n, happenings: [ended(limit ?? undefined)] }]),
  };
};

test('half, 80 % and the whole limit are told once each, and noted', async () => {
  const stage = aStage();
  expect(await stage.spend(4.9)).toEqual([]);
  expect(stage.noted()).toBeNull();
  expect(await stage.spend(0.1)).toEqual(['50 % at $5.00']);
  expect(await stage.spend(1)).toEqual([]);
  expect(await stage.spend(2.5)).toEqual(['80 % at $8.50']);
  expect(await stage.spend(3)).toEqual(['100 % at $11.50']);
  expect(await stage.spend(3)).toEqual([]);
  expect(stage.noted()).toMatchObject({ month: '2026-11', limit: 10, share: 100 });
  expect(stage.notes()).toBe(3);
});

test('another process tells nothing twice', async () => {
  const stage = aStage();
  expect(await stage.spend(8)).toEqual(['80 % at $8.00']);
  stage.restart();
  expect(await stage.spend(0.1)).toEqual([]);
});

test('a raised limit begins anew, and settles what is not reached any more', async () => {
  const stage = aStage();
  await stage.spend(10);
  stage.settled();
  stage.setLimit(20);
  await stage.pass();
  expect(stage.settled()).toEqual(['50 % at $10.00', 'not 80 %', 'not 100 %']);
  expect(stage.noted()).toMatchObject({ limit: 20, share: 50 });
});

test('an execution that started under a lower limit is held against the current one', async () => {
  const stage = aStage();
  stage.setLimit(100);
  expect(await stage.spend(10, { maxCost: 10 })).toEqual([]);
  expect(stage.noted()).toBeNull();
  stage.setLimit(null);
  expect(await stage.spend(10, { maxCost: 15 })).toEqual([]);
});

test('a month begins at nothing', async () => {
  const stage = aStage();
  await stage.spend(10);
  stage.clock.advance(4 * 24 * HOUR_MS);
  expect(await stage.spend(1)).toEqual([]);
  expect(await stage.spend(4)).toEqual(['50 % at $5.00']);
  expect(stage.noted()).toMatchObject({ month: '2026-12', share: 50 });
});

test('the days before today are read once a day, and nothing of workflows without a limit', async () => {
  const stage = aStage();
  await stage.spend(1, { at: NOON - 5 * 24 * HOUR_MS });
  await stage.spend(1);
  expect(stage.reads).toEqual([27 * 24 - 1, 12, 12]);
  expect(await stage.spend(3)).toEqual(['50 % at $5.00']);
  stage.setLimit(null);
  stage.reads.splice(0);
  await stage.spend(1);
  expect(stage.reads).toEqual([]);
});
