import { expect, test } from '@jest/globals';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import { keepTimes, latestTimeOf } from '../../../lib/executions/record/pack-result.ts';

const record = (changes: Partial<NodeRecord> = {}): NodeRecord => ({
  nodeId: 'a',
  type: 'set',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: 1_000,
  durationMs: 50,
  ...changes,
});

test('recorded times stay although a replay computes others', () => {
  const replayed = record({ startedAt: 9_000, durationMs: 0, outputs: { main: {} } });
  expect(keepTimes([record()], [replayed])).toEqual([record({ outputs: { main: {} } })]);
});

test('an open node has lasted from its start until now', () => {
  const open = record({ status: 'waiting', durationMs: 0 });
  const ended = record({ startedAt: 9_000, durationMs: 500 });
  expect(keepTimes([open], [ended])).toEqual([record({ durationMs: 8_500 })]);
});

test('an open node has no duration yet', () => {
  const open = record({ status: 'waiting', durationMs: 0 });
  expect(keepTimes([open], [{ ...open, startedAt: 9_000 }])).toEqual([open]);
});

test('a clock that was set back causes no negative duration', () => {
  const open = record({ status: 'running', durationMs: 0 });
  expect(keepTimes([open], [record({ startedAt: 10, durationMs: 5 })])).toEqual([record({ durationMs: 0 })]);
});

const retry = { at: 5_000, failure: { name: 'Error', message: 'busy' } };

test('a node that still waits for its next attempt keeps when and why, until that attempt or its end', () => {
  const waiting = record({ status: 'running', durationMs: 0, attempts: 2, retry });
  const replayed = record({ status: 'running', startedAt: 9_000, durationMs: 0, attempts: 0 });
  expect(keepTimes([waiting], [replayed])).toEqual([waiting]);
  const next = record({ status: 'running', durationMs: 0, attempts: 3 });
  expect(keepTimes([waiting], [{ ...next, startedAt: 9_000 }])).toEqual([next]);
  const ended = record({ status: 'failed', startedAt: 9_000, durationMs: 0, attempts: 0 });
  expect(keepTimes([waiting], [ended])).toEqual([
    record({ status: 'failed', durationMs: 8_000, attempts: 2 }),
  ]);
});

test('each process knows the times of the attempts that it has made', () => {
  const time = (number: number, endedAt: number | null) => ({ number, startedAt: number * 1_000, endedAt });
  const open = record({
    status: 'running',
    durationMs: 0,
    attempts: 2,
    attemptTimes: [time(1, 1_500), time(2, null)],
  });
  const ended = record({
    attempts: 3,
    startedAt: 9_000,
    durationMs: 500,
    attemptTimes: [time(2, 2_700), time(3, 3_100)],
  });
  const merged = [time(1, 1_500), time(2, 2_700), time(3, 3_100)];
  expect(keepTimes([open], [ended])).toEqual([
    record({ attempts: 3, durationMs: 8_500, attemptTimes: merged }),
  ]);
  const closed = record({ attempts: 3, attemptTimes: merged });
  expect(keepTimes([closed], [record({ attempts: 3, startedAt: 9_000 })])).toEqual([closed]);
});

test('a wait lasts from when it was first recorded until the first replay that has passed it', () => {
  const wait = (startedAt: number, endedAt: number | null) => ({ kind: 'time' as const, startedAt, endedAt });
  const open = record({ status: 'waiting', durationMs: 0, waits: [wait(1_000, 2_000), wait(2_100, null)] });
  const ended = record({
    startedAt: 9_000,
    durationMs: 500,
    waits: [wait(9_000, 9_000), wait(9_000, 9_100), wait(9_100, 9_500)],
  });
  const merged = [wait(1_000, 2_000), wait(2_100, 9_100), wait(9_100, 9_500)];
  expect(keepTimes([open], [ended])).toEqual([record({ durationMs: 8_500, waits: merged })]);
  const replayed = { ...open, startedAt: 9_000, waits: [wait(9_000, 9_000)] };
  expect(keepTimes([open], [replayed])).toEqual([open]);
});

test.each([
  ['node', { nodeId: 'b' }],
  ['iteration', { iteration: 1 }],
  ['inner run', { within: 'each/0/1' }],
])('another %s has its own times', (_what, other) => {
  const computed = record({ ...other, startedAt: 9_000, durationMs: 1 });
  expect(keepTimes([record()], [computed])).toEqual([computed]);
});

test('the latest time is the latest end, or the start when nothing is recorded', () => {
  expect(latestTimeOf([record(), record({ startedAt: 900, durationMs: 500 }), record()], 100)).toBe(1_400);
  expect(latestTimeOf([], 100)).toBe(100);
});
