import { describe, expect, test } from '@jest/globals';
import {
  countRuns,
  isTooMany,
  type ObservedNode,
  type OpenRuns,
  type RunCount,
  sampleRuns,
  shareOf,
} from '../../lib/health/sample-runs.ts';
import { aManualClock } from '../support/a-manual-clock.ts';

const FROM = 1_000;

/** Workflows with so many executions of one node each, by id; `reads` has the limits that were asked for. */
const aHistory = (counts: Readonly<Record<string, number>>) => {
  const reads: string[] = [];
  const openRuns: OpenRuns = (id) => {
    let left = counts[id] ?? 0;
    return {
      read: async (limit) => {
        reads.push(`${id} ${limit}`);
        const count = Math.min(left, limit);
        left -= count;
        const execution = { nodes: [{ type: id, status: 'succeeded' as const }], nodesOmitted: 0 };
        return { executions: Array.from({ length: count }, () => execution), hasMore: left > 0 };
      },
    };
  };
  return { openRuns, reads, ids: Object.keys(counts) };
};

const sample = async (
  counts: Readonly<Record<string, number>>,
  limits: { maxExecutions?: number; maxWorkflows?: number; endsAt?: number; now?: number } = {},
) => {
  const { openRuns, reads, ids } = aHistory(counts);
  const clock = aManualClock(limits.now ?? 0);
  const { counts: found, ...rest } = await sampleRuns(ids, FROM, openRuns, {
    maxExecutions: 100,
    maxWorkflows: 10,
    endsAt: clock.now() + 1,
    clock,
    ...limits,
  });
  return { ...rest, reads, found: Object.fromEntries([...found].map(([type, { runs }]) => [type, runs])) };
};

describe('the sample', () => {
  test.each<[string, Record<string, number>, object]>([
    ['is empty without workflows', {}, { found: {}, executions: 0, isComplete: true }],
    ['is empty without executions', { a: 0 }, { found: {}, executions: 0, isComplete: true }],
    ['has one', { a: 1 }, { found: { a: 1 }, executions: 1, isComplete: true }],
    ['has all of few', { a: 3, b: 0, c: 90 }, { found: { a: 3, c: 90 }, executions: 93, isComplete: true }],
    ['has as many as its limit', { a: 100 }, { found: { a: 100 }, executions: 100, isComplete: true }],
    ['has no more than its limit', { a: 101 }, { found: { a: 100 }, executions: 100, isComplete: false }],
    [
      'gives each workflow its share, and what one leaves to the others',
      { rare: 2, busy: 1_000, other: 1_000 },
      { found: { rare: 2, busy: 49, other: 49 }, executions: 100, isComplete: false },
    ],
  ])('%s', async (_case, counts, expected) => {
    expect(await sample(counts)).toMatchObject(expected);
  });

  test('reads pages that fit into memory', async () => {
    expect((await sample({ a: 1_000 }, { maxExecutions: 60 })).reads).toEqual(['a 25', 'a 25', 'a 10']);
  });

  test('changes to other workflows with each report when there are too many', async () => {
    const counts = Object.fromEntries([...'abcde'].map((id) => [id, 1]));
    const at = async (now: number) => {
      const { found, isComplete } = await sample(counts, { maxWorkflows: 2, now });
      return { ids: Object.keys(found).sort().join(''), isComplete };
    };
    expect([await at(0), await at(5_000), await at(10_000), await at(15_000)]).toEqual([
      { ids: 'ab', isComplete: false },
      { ids: 'cd', isComplete: false },
      { ids: 'ae', isComplete: false },
      { ids: 'ab', isComplete: false },
    ]);
  });

  test('ends when its time is up', async () => {
    expect(await sample({ a: 5 }, { endsAt: 0 })).toMatchObject({ executions: 0, isComplete: false });
  });

  test('is incomplete when a record lacks some of its nodes', async () => {
    const openRuns: OpenRuns = () => ({
      read: async () => ({ executions: [{ nodes: [], nodesOmitted: 4 }], hasMore: false }),
    });
    const limits = { maxExecutions: 9, maxWorkflows: 9, endsAt: 1, clock: aManualClock(0) };
    expect(await sampleRuns(['a'], FROM, openRuns, limits)).toMatchObject({ isComplete: false });
  });
});

const node = (status: ObservedNode['status'], name?: string): ObservedNode => ({
  type: 'set',
  status,
  ...(name === undefined ? {} : { failure: { nodeId: 'a', name, message: '' } }),
});

test.each<[string, ObservedNode[], object | undefined]>([
  ['nothing', [], undefined],
  ['what did not run', [node('skipped'), node('passedThrough')], undefined],
  ['what has not ended', [node('running'), node('waiting')], undefined],
  ['what was cut off', [node('failed', 'Cancelled'), node('failed', 'ExecutionFailed')], undefined],
  ['what succeeded', [node('succeeded'), node('succeeded')], { runs: 2, failed: 0 }],
  ['what failed', [node('failed', 'Error'), node('failed', 'Timeout')], { runs: 2, failed: 2 }],
  ['a failure without a reason', [node('failed')], { runs: 1, failed: 1 }],
])('the runs of %s', (_case, nodes, expected) => {
  const counts = new Map<string, RunCount>();
  countRuns(nodes, counts);
  expect(counts.get('set')).toEqual(expected);
});

test.each([
  [0, 0, 0, false],
  [1, 0, 0, false],
  [1, 1, 1, false],
  [2, 2, 1, false],
  [3, 3, 1, true],
  [3, 1, 0.3333, false],
  [30, 3, 0.1, true],
  [31, 3, 0.0968, false],
  [100_000, 9_999, 0.1, false],
])('of %d runs %d failures are a share of %d; too many: %p', (runs, failed, share, tooMany) => {
  expect(shareOf({ runs, failed })).toBe(share);
  expect(isTooMany({ runs, failed })).toBe(tooMany);
});
