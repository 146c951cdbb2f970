import { expect, test } from '@jest/globals';
import { colourOf, formatDuration } from '../../cli/execution-text.ts';
import { EXECUTION_STATUSES } from '../../lib/executions/record/execution-store.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [SECOND, '1.0 s'],
  [MINUTE - 1, '59.9 s'],
  [MINUTE, '1 min 0 s'],
  [HOUR - 1, '59 min 59 s'],
  [HOUR, '1 h 0 min'],
  [24 * HOUR - 1, '23 h 59 min'],
  [24 * HOUR, '1 d 0 h'],
  [366 * 24 * HOUR, '366 d 0 h'],
])('%i ms is printed as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('a status is good, bad or open', () => {
  expect(EXECUTION_STATUSES.map((status) => `${status} ${colourOf(status)}`)).toEqual([
    'accepted null',
    'running null',
    'waiting yellow',
    'succeeded green',
    'failed red',
    'cancelled red',
    'timedOut red',
  ]);
});
