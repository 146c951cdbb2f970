import { expect, test } from '@jest/globals';
import type {
  ComparedNode,
  ExecutionComparison,
} from '../../../lib/executions/explain/compare-executions.ts';
import { EXECUTION_STATUSES } from '../../../lib/executions/record/execution-store.ts';
import { colourOf, formatDuration, toComparison } from '../execution-text.ts';

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

test('large values that differ are shown by the part that differs, or their start, with their size', () => {
  const side = { executionId: 'e', workflowVersion: 1, status: 'succeeded', hasData: true, durationMs: 1 };
  const large = { nodeId: 'n', type: 'set', iteration: 0, isStart: true } as const;
  const node: ComparedNode = {
    ...large,
    differs: ['data'],
    changes: [
      {
        path: '/input/note',
        from: { $bytes: 2_002, $at: 1_970, $part: 'yyyyy' },
        to: { $bytes: 2_002, $at: 1_970, $part: 'yyyzz' },
      },
      { path: '/input/body', from: { $bytes: 2_426, $start: '{"a":1,"b"' }, to: 'short' },
    ],
  };
  const comparison = {
    from: side,
    to: side,
    counts: { same: 1, different: 1 },
    nodesOmitted: 0,
    nodes: [{ ...large, differs: [] }, node],
  } as unknown as ExecutionComparison;
  const lines = toComparison(comparison);
  expect(lines).toContain(
    '  data      of 2 nodes not compared in full: only the start of values above 2 kB is recorded',
  );
  expect(lines.slice(-2)).toEqual([
    '      data /input/note: …"yyyzz" (from character 1,970, 2,002 bytes), instead of …"yyyyy" (from character 1,970, 2,002 bytes)',
    '      data /input/body: "short", instead of {"a":1,"b"… (2,426 bytes)',
  ]);
});
