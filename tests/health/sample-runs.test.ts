import { describe, expect, test } from '@jest/globals';
import { isTooMany, type RunSource, sampleRuns, shareOf } from '../../lib/health/sample-runs.ts';
import { aManualClock } from '../support/a-manual-clock.ts';

const FROM = 1_000;

/** Workflows with so many executions of one node each, by id; `reads` has the number of executions of each read. */
const aHistory = (counts: Readonly<Record<string, number>>) => {
  const [finds, reads]: [string[], number[]] = [[], []];
  const source: RunSource = {
    find: async ({ id }, _from, limit) => {
      finds.push(`${id} ${limit}`);
      const count = counts[id] ?? 0;
      const ids = Array.from({ length: Math.min(count, limit) }, () => id);
      return { ids, hasMore: count > limit };
    },
    read: async (ids) => {
      reads.push(ids.length);
      return ids.map((type) => ({ nodes: [{ type, status: 'succeeded' as const }], nodesOmitted: 0 }));
    },
  };
  const workflows = Object.keys(counts).map((id) => ({ id, isHighVolume: false }));
  return { source, finds, reads, workflows };
};

const sample = async (
  counts: Readonly<Record<string, number>>,
  limits: { maxExecutions?: number; maxWorkflows?: number; endsAt?: number; now?: number } = {},
) => {
  const { source, finds, reads, workflows } = aHistory(counts);
  const clock = aManualClock(limits.now ?? 0);
  const { counts: found, ...rest } = await sampleRuns(workflows, FROM, source, {
    maxExecutions: 100,
    maxWorkflows: 10,
    endsAt: clock.now() + 1,
    clock,
    ...limits,
  });
  return {
    ...rest,
    finds,
    reads,
    found: Object.fromEntries([...found].map(([type, { runs }]) => [type, runs])),
  };
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

  test('searches a second time only where there is more, and others have left their share', async () => {
    expect((await sample({ a: 3, b: 0, c: 90 })).finds).toEqual(['a 34', 'b 34', 'c 34', 'c 100']);
    expect((await sample({ a: 90, b: 90, c: 90 })).finds).toEqual(['a 34', 'b 34', 'c 34']);
  });

  test('reads a hundred executions at once', async () => {
    expect((await sample({ a: 1_000, b: 30 }, { maxExecutions: 210 })).reads).toEqual([100, 100, 10]);
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
    const source: RunSource = {
      find: async () => ({ ids: ['e'], hasMore: false }),
      read: async () => [{ nodes: [], nodesOmitted: 4 }],
    };
    const limits = { maxExecutions: 9, maxWorkflows: 9, endsAt: 1, clock: aManualClock(0) };
    expect(await sampleRuns([{ id: 'a', isHighVolume: false }], FROM, source, limits)).toMatchObject({
      isComplete: false,
    });
  });
});

type ObservedNode = Awaited<ReturnType<RunSource['read']>>[number]['nodes'][number];

const node = (status: ObservedNode['status'], name?: string) => ({
  type: 'set',
  nodeId: 'a',
  status,
  ...(name === undefined ? {} : { failure: { nodeId: 'a', name, message: '' } }),
});

test.each<[string, ReturnType<typeof node>[], object | undefined]>([
  ['nothing', [], undefined],
  ['what did not run', [node('skipped'), node('passedThrough')], undefined],
  ['what has not ended', [node('running'), node('waiting')], undefined],
  ['what was cut off', [node('failed', 'Cancelled'), node('failed', 'ExecutionFailed')], undefined],
  ['what succeeded', [node('succeeded'), node('succeeded')], { runs: 2, failed: 0 }],
  ['what failed', [node('failed', 'Error'), node('failed', 'Timeout')], { runs: 2, failed: 2 }],
  ['a failure without a reason', [node('failed')], { runs: 1, failed: 1 }],
])('the runs of %s', async (_case, nodes, expected) => {
  const source = {
    find: async () => ({ ids: ['e'], hasMore: false }),
    read: async () => [{ nodes, nodesOmitted: 0 }],
  };
  const limits = { maxExecutions: 100, maxWorkflows: 10, endsAt: 1, clock: aManualClock(0) };
  const { counts } = await sampleRuns([{ id: 'a', isHighVolume: false }], FROM, source, limits);
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
