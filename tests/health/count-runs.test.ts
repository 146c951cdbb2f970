import { expect, test } from '@jest/globals';
import {
  countRuns,
  isTooMany,
  type ObservedNode,
  type RunCount,
  shareOf,
} from '../../lib/health/count-runs.ts';

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
