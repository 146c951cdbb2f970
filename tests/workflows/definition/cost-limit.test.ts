import { expect, test } from '@jest/globals';
import {
  holdAtLimit,
  monthOf,
  monthStart,
  type NotedCost,
  nextMonth,
  shareOf,
  toldShare,
} from '../../../lib/workflows/definition/cost-limit.ts';
import { toPathConfigs } from '../../../lib/workflows/definition/to-path-configs.ts';
import { aTrigger, aWorkflow } from '../../support/a-workflow.ts';

const NOW = Date.parse('2026-11-29T10:00:00Z');

const noted: NotedCost = { month: '2026-11', limit: 5, share: 100, dollars: 5.01 };

/** A workflow with a limit, and webhooks that answer at once, with a result, and while they are paused. */
const workflow = (maxCostPerMonth: number | undefined) => {
  const definition = aWorkflow({
    nodes: [
      aTrigger({ path: '/now' }, { id: 'now' }),
      aTrigger({ path: '/result', responseMode: 'lastNode' }, { id: 'result' }),
      aTrigger({ path: '/off', paused: true }, { id: 'off' }),
    ],
    connections: [],
    ...(maxCostPerMonth === undefined ? {} : { settings: { maxCostPerMonth } }),
  });
  return { version: 1, updatedAt: '', definition, pathConfigs: toPathConfigs(definition) };
};

test('a month begins on its first day and ends with the next, in UTC', () => {
  expect(monthOf(NOW)).toBe('2026-11');
  expect(new Date(monthStart(NOW)).toISOString()).toBe('2026-11-01T00:00:00.000Z');
  expect(new Date(nextMonth(NOW)).toISOString()).toBe('2026-12-01T00:00:00.000Z');
  expect(new Date(nextMonth(nextMonth(NOW))).toISOString()).toBe('2027-01-01T00:00:00.000Z');
});

test.each([
  [2.49, 0],
  [2.5, 50],
  [3.99, 50],
  [4, 80],
  [5, 100],
  [50, 100],
])('$%s of $5 is the share %s', (dollars, share) => {
  expect(shareOf(dollars, 5)).toBe(share);
});

test('a note says nothing of another month or another limit', () => {
  expect(toldShare(noted, 5, NOW)).toBe(100);
  expect(toldShare(noted, 6, NOW)).toBe(0);
  expect(toldShare(noted, 5, nextMonth(NOW))).toBe(0);
  expect(toldShare(null, 5, NOW)).toBe(0);
});

test('a workflow at its limit stores what its webhooks receive, and refuses what waits for a result', () => {
  const held = holdAtLimit(workflow(5), noted, NOW);
  expect(held.atLimit).toEqual({ dollars: 5.01, limit: 5, until: Date.parse('2026-12-01') });
  expect(held.pathConfigs.map(({ features }) => features?.paused)).toEqual(['store', true, true]);
});

test.each([
  ['in another month', workflow(5), noted, nextMonth(NOW)],
  ['with a raised limit', workflow(6), noted, NOW],
  ['without a limit', workflow(undefined), noted, NOW],
  ['at 80 %', workflow(5), { ...noted, share: 80 } as const, NOW],
])('%s, nothing is held', (_when, given, note, now) => {
  expect(holdAtLimit(given, note, now)).toBe(given);
});
