import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findLastDue } from '../../../lib/health/silence/last-due.ts';
import { nextTimes } from '../../../lib/triggers/schedule/next-times.ts';
import { readSchedule } from '../../../lib/triggers/schedule/read-schedule.ts';
import { cases } from '../../support/deep.ts';

const aSchedule = (parameters: JsonObject) => {
  const reading = readSchedule(parameters);
  if ('problems' in reading) throw new Error(JSON.stringify(reading.problems));
  return reading.schedule;
};

const lastDue = async (parameters: JsonObject, before: string): Promise<string | null> => {
  const due = await findLastDue(aSchedule(parameters), Date.parse(before));
  return due === null ? null : `${due.isExact ? '' : 'since '}${new Date(due.at).toISOString()}`;
};

test.each<[string, JsonObject, string, string | null]>([
  ['each minute', { cron: '* * * * *' }, '2026-03-04T10:00:30Z', '2026-03-04T10:00:00.000Z'],
  ['at the time itself', { cron: '0 10 * * *' }, '2026-03-04T10:00:00Z', '2026-03-04T10:00:00.000Z'],
  ['on the day before', { cron: '0 10 * * *' }, '2026-03-04T09:59:59Z', '2026-03-03T10:00:00.000Z'],
  ['months ago', { cron: '* 9 1 1 *' }, '2026-08-04T09:00:00Z', '2026-01-01T09:59:00.000Z'],
  [
    'at a time that clocks skip',
    { cron: '30 2 29 3 *', timeZone: 'Europe/Berlin' },
    '2026-04-01T00:00:00Z',
    '2025-03-29T01:30:00.000Z',
  ],
  ['before it starts', { cron: '0 10 * * *', startAt: '2026-03-05T00:00:00Z' }, '2026-03-04T12:00:00Z', null],
  [
    'after its end',
    { cron: '0 10 * * *', endAt: '2026-03-02T00:00:00Z' },
    '2026-03-04T12:00:00Z',
    '2026-03-01T10:00:00.000Z',
  ],
  ['at a rate', { rate: '2 hours' }, '2026-03-04T12:00:00Z', 'since 2026-03-04T10:00:00.000Z'],
  [
    'at a rate that has ended',
    { rate: '2 hours', endAt: '2026-03-04T11:00:00Z' },
    '2026-03-04T12:00:00Z',
    null,
  ],
  [
    'at a rate within its first period',
    { rate: '2 hours', startAt: '2026-03-04T11:00:00Z' },
    '2026-03-04T12:00:00Z',
    null,
  ],
  ['once', { at: '2026-03-04T10:00:00' }, '2026-03-04T12:00:00Z', '2026-03-04T10:00:00.000Z'],
  ['once, later', { at: '2026-03-04T13:00:00' }, '2026-03-04T12:00:00Z', null],
  ['once, more than a week ago', { at: '2026-03-04T10:00:00' }, '2026-03-11T10:00:00Z', null],
])('what fires %s was due then', async (_when, parameters, before, due) => {
  expect(await lastDue(parameters, before)).toBe(due);
});

test('nothing is due between the last due time of a cron expression and the time asked for', async () => {
  const field = (max: number) => fc.oneof(fc.constant('*'), fc.integer({ min: 1, max }).map(String));
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(field(59), field(23), field(28), field(12)),
      fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe'),
      fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2027, 0, 1) }),
      async ([minute, hour, day, month], timeZone, before) => {
        const schedule = aSchedule({ cron: `${minute} ${hour} ${day} ${month} *`, timeZone });
        const due = await findLastDue(schedule, before);
        if (due === null) return;
        expect(due.at).toBeLessThanOrEqual(before);
        expect(await nextTimes(schedule, { from: due.at - 1, count: 1 })).toEqual([due.at]);
        const [next = Number.POSITIVE_INFINITY] = await nextTimes(schedule, { from: due.at, count: 1 });
        expect(next).toBeGreaterThan(before);
      },
    ),
    { numRuns: cases(60, 2_000) },
  );
});
