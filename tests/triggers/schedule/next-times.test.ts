import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readScheduleTimes } from 'lambda-stage/sources';
import { nextTimes } from '../../../lib/triggers/schedule/next-times.ts';
import { readSchedule } from '../../../lib/triggers/schedule/read-schedule.ts';
import type { Schedule } from '../../../lib/triggers/schedule/schedule.ts';
import { aCron, scanMinutes } from '../../support/any-cron.ts';
import { cases } from '../../support/deep.ts';

const scheduleOf = (parameters: JsonObject) => {
  const reading = readSchedule(parameters);
  if ('problems' in reading) throw new Error(JSON.stringify([parameters, reading.problems]));
  return reading.schedule;
};

const nextOf = async (parameters: JsonObject, from: string, count = 3, createdAt = from) => {
  const schedule = scheduleOf(parameters);
  const times = await nextTimes(schedule, {
    from: Date.parse(from),
    count,
    createdAt: Date.parse(createdAt),
  });
  if (from === createdAt) expect(timesOnStage(schedule, Date.parse(from), count)).toEqual(times);
  return times.map((time) => new Date(time).toISOString().replace(':00.000Z', 'Z'));
};

/** When a stage on this machine fires the schedule: it reads what is registered, by code of its own. */
const timesOnStage = ({ expression, timeZone, startAt, endAt }: Schedule, from: number, count: number) => {
  const findNext = readScheduleTimes({ expression, timeZone, startAt, endAt, createdAt: from });
  const times: number[] = [];
  for (let at = findNext(from); at !== null && times.length < count; at = findNext(at)) times.push(at);
  return times;
};

/** AWS's own examples: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-cron-expressions.html */
const calendar: readonly (readonly [cron: string, from: string, times: readonly string[]])[] = [
  ['0 10 * * ? *', '2026-01-01T10:00Z', ['2026-01-02T10:00Z', '2026-01-03T10:00Z', '2026-01-04T10:00Z']],
  ['0/15 * * * ? *', '2026-01-01T00:07Z', ['2026-01-01T00:15Z', '2026-01-01T00:30Z', '2026-01-01T00:45Z']],
  [
    '0 18 ? * MON-FRI *',
    '2026-01-01T20:00Z',
    ['2026-01-02T18:00Z', '2026-01-05T18:00Z', '2026-01-06T18:00Z'],
  ],
  ['0 8 1 * ? *', '2026-01-01T08:00Z', ['2026-02-01T08:00Z', '2026-03-01T08:00Z', '2026-04-01T08:00Z']],
  [
    '15 10 ? * 6L 2026-2027',
    '2026-01-01T00:00Z',
    ['2026-01-30T10:15Z', '2026-02-27T10:15Z', '2026-03-27T10:15Z'],
  ],
  ['0 9 ? * 2#1 *', '2026-01-01T00:00Z', ['2026-01-05T09:00Z', '2026-02-02T09:00Z', '2026-03-02T09:00Z']],
  ['0 9 ? * 7#5 *', '2026-01-01T00:00Z', ['2026-01-31T09:00Z', '2026-05-30T09:00Z', '2026-08-29T09:00Z']],
  ['0 9 ? * L *', '2026-01-01T00:00Z', ['2026-01-03T09:00Z', '2026-01-10T09:00Z', '2026-01-17T09:00Z']],
  ['0 0 L * ? *', '2028-01-31T00:00Z', ['2028-02-29T00:00Z', '2028-03-31T00:00Z', '2028-04-30T00:00Z']],
  ['0 0 3W * ? *', '2026-01-01T00:00Z', ['2026-01-02T00:00Z', '2026-02-03T00:00Z', '2026-03-03T00:00Z']],
  ['0 0 1W 8 ? *', '2026-01-01T00:00Z', ['2026-08-03T00:00Z', '2027-08-02T00:00Z', '2028-08-01T00:00Z']],
  ['0 0 29 2 ? *', '2026-01-01T00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z', '2036-02-29T00:00Z']],
  ['0 0 1 1 ? 2026-2027', '2026-06-01T00:00Z', ['2027-01-01T00:00Z']],
  ['59 23 31 12 ? *', '2198-01-01T00:00Z', ['2198-12-31T23:59Z', '2199-12-31T23:59Z']],
];

test.each(calendar)('cron(%s) after %s', async (cron, from, times) => {
  expect(await nextOf({ cron }, from)).toEqual(times);
});

/** Clocks go from 02:00 to 03:00 on 29 March, and from 03:00 back to 02:00 on 25 October 2026. */
const timeZone = 'Europe/Berlin';

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time */
const changes: readonly (readonly [name: string, JsonObject, from: string, times: readonly string[]])[] = [
  [
    'a time that the clocks skip is left out',
    { cron: '30 2 * * *' },
    '2026-03-28T00:00Z',
    ['2026-03-28T01:30Z', '2026-03-30T00:30Z', '2026-03-31T00:30Z'],
  ],
  [
    'an hour that the clocks skip is left out',
    { cron: '*/30 * * * *' },
    '2026-03-29T00:29Z',
    ['2026-03-29T00:30Z', '2026-03-29T01:00Z', '2026-03-29T01:30Z'],
  ],
  [
    'a time that the clocks show twice fires once',
    { cron: '30 2 * * *' },
    '2026-10-24T01:00Z',
    ['2026-10-25T00:30Z', '2026-10-26T01:30Z', '2026-10-27T01:30Z'],
  ],
  [
    'an hour that the clocks show twice fires once',
    { cron: '*/30 * * * *' },
    '2026-10-25T00:00Z',
    ['2026-10-25T00:30Z', '2026-10-25T02:00Z', '2026-10-25T02:30Z'],
  ],
  [
    'nothing fires in the second of them',
    { cron: '*/30 * * * *' },
    '2026-10-25T01:10Z',
    ['2026-10-25T02:00Z', '2026-10-25T02:30Z', '2026-10-25T03:00Z'],
  ],
  [
    'a day of a rate is 24 hours',
    { rate: '1 day', startAt: '2026-03-28T12:00' },
    '2026-03-28T00:00Z',
    ['2026-03-28T11:00Z', '2026-03-29T11:00Z', '2026-03-30T11:00Z'],
  ],
  [
    'one time that the clocks show twice is the first',
    { at: '2026-10-25T02:30' },
    '2026-01-01T00:00Z',
    ['2026-10-25T00:30Z'],
  ],
];

test.each(changes)('%s', async (_, parameters, from, times) => {
  expect(await nextOf({ ...parameters, timeZone }, from)).toEqual(times);
});

test.each([
  ['0 12 * * *', '2011-12-29T12:00Z', ['2011-12-29T22:00Z', '2011-12-30T22:00Z']],
  ['* * * * *', '2011-12-30T09:58Z', ['2011-12-30T09:59Z', '2011-12-30T10:00Z']],
])(
  'a day that a time zone skips is left out: %s after %s in Samoa, which had no 30 December 2011',
  async (cron, from, times) => {
    expect(await nextOf({ cron, timeZone: 'Pacific/Apia' }, from, 2)).toEqual(times);
  },
);

const limits: readonly (readonly [name: string, JsonObject, from: string, times: readonly string[]])[] = [
  [
    'a cron may fire at its limits',
    { cron: '0 * * * *', startAt: '2026-01-01T02:00Z', endAt: '2026-01-01T03:00Z' },
    '2026-01-01T00:00Z',
    ['2026-01-01T02:00Z', '2026-01-01T03:00Z'],
  ],
  [
    'a rate counts from its start',
    { rate: '7 minutes', startAt: '2026-01-01T00:01Z', endAt: '2026-01-01T01:04Z' },
    '2026-01-01T00:50Z',
    ['2026-01-01T00:57Z', '2026-01-01T01:04Z'],
  ],
  [
    'a rate fires first at its start',
    { rate: '2 hours', startAt: '2026-01-02T00:00Z' },
    '2026-01-01T00:00Z',
    ['2026-01-02T00:00Z', '2026-01-02T02:00Z', '2026-01-02T04:00Z'],
  ],
  ['one time fires once', { at: '2026-01-02T00:00' }, '2026-01-01T00:00Z', ['2026-01-02T00:00Z']],
  ['one time fires no more', { at: '2026-01-02T00:00' }, '2026-01-02T00:00Z', []],
];

test.each(limits)('%s', async (_, parameters, from, times) => {
  expect(await nextOf(parameters, from)).toEqual(times);
});

test('a rate without a start counts from its creation', async () => {
  const times = await nextOf({ rate: '1 hour' }, '2026-01-05T00:00Z', 2, '2026-01-01T00:20Z');
  expect(times).toEqual(['2026-01-05T00:20Z', '2026-01-05T01:20Z']);
});

test('any cron fires at the minutes that a scan of the year finds', async () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns'];
  const anyMinute = fc
    .integer({ min: 0, max: 500_000 })
    .map((minute) => Date.UTC(2026, 0, 1) + minute * 60_000);
  /** On which clocks change in one of these zones. */
  const changes = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01'];
  const nearChange = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -720, max: 480 }))
    .map(([day, minutes]) => Date.parse(day) + minutes * 60_000);
  await fc.assert(
    fc.asyncProperty(
      aCron,
      fc.constantFrom(...zones),
      fc.oneof(anyMinute, nearChange),
      async (cron, timeZone, from) => {
        const schedule = scheduleOf({ cron: cron.text, timeZone, endAt: '2026-12-31T23:59Z' });
        const times = await nextTimes(schedule, { from, count: 100 });
        expect(times).toEqual(scanMinutes(cron, timeZone, from, 100));
        expect(timesOnStage(schedule, from, 100)).toEqual(times);
        const again = scheduleOf({ cron: schedule.expression.slice('cron('.length, -1) });
        expect(again.expression).toBe(schedule.expression);
        expect(again.timing).toEqual(schedule.timing);
      },
    ),
    { numRuns: cases(15, 200) },
  );
});
