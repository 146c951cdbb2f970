import { describe, expect, test } from '@jest/globals';
import { groupByCause, toHours } from '../src/views/overview/outcomes.ts';

const counts = { started: 0, succeeded: 0, failed: 0, timedOut: 0, cancelled: 0, refused: {} };
const step = (from: string, changes: object) => ({
  ...counts,
  durationMs: { p50: null, p95: null },
  cost: null,
  from,
  ...changes,
});

describe('the hours of a period', () => {
  test('have those in which nothing ended, and count what timed out as failed', () => {
    const hours = toHours({
      from: '2026-11-24T09:00:00.000Z',
      to: '2026-11-24T12:00:00.000Z',
      steps: [step('2026-11-24T10:00:00.000Z', { succeeded: 4, failed: 2, timedOut: 1, cancelled: 3 })],
    });
    expect(hours).toEqual([
      { from: Date.parse('2026-11-24T09:00Z'), succeeded: 0, failed: 0, cancelled: 0 },
      { from: Date.parse('2026-11-24T10:00Z'), succeeded: 4, failed: 3, cancelled: 3 },
      { from: Date.parse('2026-11-24T11:00Z'), succeeded: 0, failed: 0, cancelled: 0 },
    ]);
  });

  test('are none in an empty period', () => {
    expect(toHours({ from: '2026-11-24T09:00Z', to: '2026-11-24T09:00Z', steps: [] })).toEqual([]);
  });
});

describe('failures are grouped', () => {
  const failed = (executionId: string, workflowId: string, nodeId: string, name: string) => ({
    executionId,
    workflowId,
    failure: { nodeId, name, message: `of ${executionId}` },
  });

  test('by workflow, node and name, the most frequent first, with the latest execution', () => {
    const causes = groupByCause([
      failed('e5', 'orders', 'call', 'Timeout'),
      failed('e4', 'orders', 'call', 'HttpStatusError'),
      failed('e3', 'orders', 'store', 'HttpStatusError'),
      failed('e2', 'orders', 'call', 'HttpStatusError'),
      failed('e1', 'ship', 'call', 'HttpStatusError'),
    ]);
    expect(causes.map(({ executionId, count, message }) => [executionId, count, message])).toEqual([
      ['e4', 2, 'of e4'],
      ['e5', 1, 'of e5'],
      ['e3', 1, 'of e3'],
      ['e1', 1, 'of e1'],
    ]);
  });

  test('also without a recorded failure', () => {
    const [cause] = groupByCause([{ executionId: 'e1', workflowId: 'orders', failure: null }]);
    expect(cause).toMatchObject({ nodeId: null, name: 'Not recorded', count: 1, message: '' });
  });
});
