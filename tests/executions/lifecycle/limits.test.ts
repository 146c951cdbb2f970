import { expect, test } from '@jest/globals';
import { computeLease, computeLimits, keepsData } from '../../../lib/executions/lifecycle/limits.ts';
import type { ExecutionMode, ExecutionStatus } from '../../../lib/executions/record/execution-store.ts';
import type { WorkflowSettings } from '../../../lib/workflows/definition/definition.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test.each<[WorkflowSettings['recordData'], ExecutionMode, [succeeded: boolean, failed: boolean]]>([
  ['always', 'inline', [true, true]],
  ['always', 'durable', [true, true]],
  ['onFailure', 'express', [false, true]],
  ['onFailure', 'durable', [false, true]],
  ['never', 'inline', [false, false]],
  ['never', 'durable', [false, false]],
  [undefined, 'inline', [false, true]],
  [undefined, 'express', [false, true]],
  [undefined, 'durable', [true, true]],
])('with recordData %j, whether a run that is %s keeps its data: %j', (recordData, mode, kept) => {
  const settings = recordData === undefined ? {} : { recordData };
  expect([false, true].map((hasFailed) => keepsData(settings, mode, hasFailed))).toEqual(kept);
});

test.each<[ExecutionStatus, ExecutionMode, number, number]>([
  ['running', 'durable', 10 * MINUTE, 20 * MINUTE],
  ['running', 'express', 10 * MINUTE, 60 * MINUTE],
  ['waiting', 'durable', 10 * MINUTE, 10 * MINUTE],
  ['waiting', 'durable', 3 * DAY, DAY],
])(
  'the lease of a run that is %s (%s) and times out in %d ms expires in %d ms',
  (status, mode, left, lease) => {
    expect(computeLease(status, mode, 1_000, 1_000 + left)).toBe(1_000 + lease);
  },
);

test('the limits of a workflow are capped by the time that is left', () => {
  expect(computeLimits({ timeoutSeconds: 30, maxNodeRuns: 5 }, 'inline', 20_000)).toEqual({
    timeoutMs: 20_000,
    maxNodeRuns: 5,
    maxOutputBytes: 33_554_432,
  });
  expect(computeLimits(undefined, 'express')).toMatchObject({ timeoutMs: 840_000, maxNodeRuns: 100_000 });
});
