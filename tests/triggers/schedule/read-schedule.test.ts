import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { findScheduleProblems } from '../../../lib/triggers/schedule/next-times.ts';
import { readSchedule } from '../../../lib/triggers/schedule/read-schedule.ts';

const now = Date.parse('2026-11-22T09:00:00Z');

const expressionOf = (parameters: JsonObject): string => {
  const reading = readSchedule(parameters);
  if ('problems' in reading) throw new Error(JSON.stringify(reading.problems));
  return reading.schedule.expression;
};

/** Five fields, crontab(5), and what AWS's six are for them: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based */
test.each([
  ['0 8 * * *', '0 8 * * ? *'],
  ['*/15 * * * *', '0/15 * * * ? *'],
  ['00 08-09,18 * * *', '0 8-9,18 * * ? *'],
  ['*,5 * * * *', '* * * * ? *'],
  ['5-30/10 */6 * * *', '5,15,25 0/6 * * ? *'],
  ['0 0 1,15 * *', '0 0 1,15 * ? *'],
  ['0 0 */2 jan-mar *', '0 0 1/2 JAN-MAR ? *'],
  ['0 0 * * 0', '0 0 ? * 1 *'],
  ['0 0 * * 7', '0 0 ? * 1 *'],
  ['0 0 * * 1-5', '0 0 ? * 2,3,4,5,6 *'],
  ['0 0 * * 5-7', '0 0 ? * 1,6,7 *'],
  ['0 0 * * sat,SUN', '0 0 ? * 1,7 *'],
  ['0 0 * * */2', '0 0 ? * 1,3,5,7 *'],
  ['  0   8\t* * *  ', '0 8 * * ? *'],
])('five fields %j are %j', (cron, fields) => {
  expect(expressionOf({ cron })).toBe(`cron(${fields})`);
});

test.each([
  ['0 10 * * ? *', '0 10 * * ? *'],
  ['0/15 8-17 ? * mon-fri 2026-2030', '0/15 8-17 ? * MON-FRI 2026-2030'],
  ['15 10 ? * 6L 2026-2027', '15 10 ? * 6L 2026-2027'],
  ['0 0 ? * FRIL *', '0 0 ? * 6L *'],
  ['0 0 ? * mon#2 *', '0 0 ? * 2#2 *'],
  ['0 0 ? * L *', '0 0 ? * 7 *'],
  ['0 0 ? * 2/2 *', '0 0 ? * 2,4,6 *'],
  ['0 0 L * ? *', '0 0 L * ? *'],
  ['0 0 03w * ? *', '0 0 3W * ? *'],
  ['0 0 1 1-12/3 ? *', '0 0 1 1,4,7,10 ? *'],
])('six fields %j are %j', (cron, fields) => {
  expect(expressionOf({ cron })).toBe(`cron(${fields})`);
});

test.each([
  [{ rate: '5 minutes' }, 'rate(5 minutes)'],
  [{ rate: '1 hour' }, 'rate(1 hour)'],
  [{ rate: '1 days' }, 'rate(1 day)'],
  [{ at: '2026-12-01T08:00' }, 'at(2026-12-01T08:00:00)'],
  [{ at: '2026-12-01T08:00:30', timeZone: 'Asia/Kathmandu' }, 'at(2026-12-01T08:00:30)'],
])('%j is %j', (parameters, expression) => {
  expect(expressionOf(parameters)).toBe(expression);
});

test('reads the start and end, with an offset or in the time zone', () => {
  const parameters = { rate: '1 day', timeZone: 'Europe/Berlin', flexibleMinutes: 15 };
  expect(
    readSchedule({ ...parameters, startAt: '2026-07-01T00:00:00-05:30', endAt: '2026-12-24T18:00' }),
  ).toEqual({
    schedule: {
      timing: { kind: 'rate', periodMs: 86_400_000 },
      expression: 'rate(1 day)',
      timeZone: 'Europe/Berlin',
      startAt: Date.parse('2026-07-01T05:30:00Z'),
      endAt: Date.parse('2026-12-24T17:00:00Z'),
      flexibleMinutes: 15,
    },
  });
});

/** One thing wrong in each. */
const badCrons: readonly (readonly [cron: string, message: string])[] = [
  ['', 'it has 0'],
  ['* * * *', 'must have five fields (minute,'],
  ['* * * * * * *', 'it has 7'],
  ['60 * * * *', 'minute: "60" is not from 0 to 59'],
  ['* 24 * * *', 'hour: "24" is not from 0 to 23'],
  ['* * 0 * *', 'day of month: "0" is not from 1 to 31'],
  ['* * * 13 *', 'month: "13" is not from 1 to 12 or JAN to DEC'],
  ['* * * MAI *', 'month: "MAI" is not'],
  ['* * * * 8', 'day of week: "8" is not from 0 to 7 or SUN to SAT'],
  ['0 0 ? * 0 *', 'day of week: "0" is not from 1 to 7 or SUN to SAT'],
  ['0 0 * * ? 1969', 'year: "1969" is not from 1970 to 2199'],
  ['0,, * * * *', 'minute: "" must be'],
  ['-1 * * * *', 'minute: "-1" must be'],
  ['1.5 * * * *', 'minute: "1.5" must be'],
  ['*/0 * * * *', 'minute: "*/0" must have a step from 1 to 59'],
  ['*/60 * * * *', 'minute: "*/60" must have a step from 1 to 59'],
  ['30-10 * * * *', 'minute: "30-10" is a range that runs backwards'],
  ['0 0 13 * FRI', 'has both a day of month and a day of week. In five fields that means either day'],
  ['0 0 L * *', 'has "?", "L", "W" or "#" in five fields: add the year as the sixth'],
  ['0 0 * * 5#1', 'in five fields: add the year'],
  ['0 0 ? * *', 'in five fields: add the year'],
  ['0 0 * * * *', 'must have "?" in exactly one of day of month and day of week'],
  ['0 0 13 * FRI *', 'must have "?" in exactly one'],
  ['0 0 ? * ? *', 'must have "?" in exactly one'],
  ['0 0 L-3 * ? *', 'day of month: must be only "L", or only a day with "W"'],
  ['0 0 LW * ? *', 'day of month: must be only "L", or only a day with "W"'],
  ['0 0 1,15W * ? *', 'day of month: must be only "L", or only a day with "W"'],
  ['0 0 32W * ? *', 'day of month: must be only "L", or only a day with "W"'],
  ['0 0 ? * 3#1,6#3 *', 'day of week: must be only a day with "L", such as "6L", or only a day with "#"'],
  ['0 0 ? * 3#6 *', 'day of week: must be only a day with "L"'],
  ['0 0 ? * 8L *', 'day of week: must be only a day with "L"'],
  ['@daily', 'it has 1'],
  [`${'1,'.repeat(200)}1 * * * *`, 'is longer than 250 characters'],
  [
    '0-59/1 0-23/1 1-31/1 * ? *',
    'is too long for EventBridge Scheduler, because ranges with steps are written as lists',
  ],
];

test.each(badCrons)('refuses the cron %j', (cron, message) => {
  expect(readSchedule({ cron })).toEqual({
    problems: [{ path: '/cron', message: expect.stringContaining(message) }],
  });
});

const cron = '0 8 * * *';

const bad: readonly (readonly [parameters: JsonObject, path: string, message: string])[] = [
  [{}, '', 'must have exactly one of "cron", "rate" and "at"; it has none'],
  [{ cron, rate: '1 day' }, '', 'it has "cron", "rate"'],
  [{ cron: 5 }, '/cron', 'must be a string'],
  [{ rate: '0 minutes' }, '/rate', 'must be a whole number from 1 to 99999'],
  [{ rate: '1.5 hours' }, '/rate', 'must be a whole number'],
  [{ rate: '5 seconds' }, '/rate', 'with minutes, hours or days, such as "5 minutes"'],
  [{ rate: 'PT5M' }, '/rate', 'such as "5 minutes"'],
  [{ at: '2026-02-30T08:00' }, '/at', 'must be a local time that exists'],
  [{ at: '2026-12-01' }, '/at', 'must be a local time that exists'],
  [{ at: '2026-12-01T24:00' }, '/at', 'must be a local time that exists'],
  [{ at: '2026-12-01T08:00:00Z' }, '/at', 'without "Z" or an offset: "timeZone" sets the zone'],
  [
    { at: '2027-03-28T02:30', timeZone: 'Europe/Berlin' },
    '/at',
    'is a time that clocks in this time zone skip',
  ],
  [{ at: '2026-12-01T08:00', endAt: '2027-01-01T00:00' }, '/endAt', 'has no effect together with "at"'],
  [{ cron, startAt: 'tomorrow' }, '/startAt', 'must be a valid ISO 8601 time'],
  [{ cron, startAt: '2026-12-01T08:00:00+24:00' }, '/startAt', 'must be a valid ISO 8601 time'],
  [{ cron, startAt: 1 }, '/startAt', 'must be a string'],
  [
    { cron, startAt: '2027-01-01T00:00Z', endAt: '2027-01-01T00:00Z' },
    '/endAt',
    'must be later than "startAt"',
  ],
  [{ cron, timeZone: 'Europe/Berlni' }, '/timeZone', 'did you mean "Europe/Berlin"?'],
  [{ cron, timeZone: 'europe/berlin' }, '/timeZone', 'did you mean "Europe/Berlin"?'],
  [{ cron, timeZone: '+01:00' }, '/timeZone', 'must be the name of a time zone in the IANA database'],
  [{ cron, timeZone: 'Mars' }, '/timeZone', 'must be the name of a time zone in the IANA database'],
  [{ cron, timeZone: '' }, '/timeZone', 'must be the name of a time zone'],
  [{ cron, timeZone: 1 }, '/timeZone', 'must be a string'],
  [{ cron, flexibleMinutes: 0 }, '/flexibleMinutes', 'must be a whole number of minutes from 1 to 1440'],
  [{ cron, flexibleMinutes: 1441 }, '/flexibleMinutes', 'from 1 to 1440'],
  [{ cron, flexibleMinutes: 1.5 }, '/flexibleMinutes', 'from 1 to 1440'],
];

test.each(bad)('refuses %j', async (parameters, path, message) => {
  const problems = [{ path, message: expect.stringContaining(message) }];
  expect(readSchedule(parameters)).toEqual({ problems });
  expect(await findScheduleProblems(parameters, now)).toEqual(problems);
});

test('reports every problem with its place', async () => {
  const problems = await findScheduleProblems(
    { cron: 'x', timeZone: 'x', endAt: 'x', flexibleMinutes: 0 },
    now,
  );
  expect(problems.map(({ path }) => path)).toEqual(['/timeZone', '/cron', '/endAt', '/flexibleMinutes']);
});

describe('a schedule that never fires', () => {
  test.each<readonly [JsonObject, string, string]>([
    [{ cron: '0 0 31 2 *' }, '/cron', 'never fires: no future day'],
    [{ cron: '0 0 31 2,4,6,9,11 ? *' }, '/cron', 'never fires'],
    [{ cron: '0 0 29 2 ? 2027' }, '/cron', 'never fires'],
    [{ cron: '0 0 ? 2 1#5 2027' }, '/cron', 'never fires'],
    [{ cron: '0 0 * * ? 2025' }, '/cron', 'never fires'],
    [{ cron: '30 2 ? 3 1L *', timeZone: 'Europe/Berlin' }, '/cron', 'at a time that exists in the time zone'],
    [{ cron, endAt: '2026-11-22T10:00Z', timeZone: 'Asia/Tokyo' }, '/cron', 'never fires before "endAt"'],
    [
      { rate: '1 day', startAt: '2026-11-20T00:00Z', endAt: '2026-11-22T10:00Z' },
      '/rate',
      'never fires between "startAt" and "endAt"',
    ],
    [{ cron, endAt: '2026-11-22T08:00Z' }, '/endAt', 'is in the past'],
    [{ at: '2026-11-22T09:00' }, '/at', 'is in the past in the time zone UTC'],
  ])('%j', async (parameters, path, message) => {
    const problems = [{ path, message: expect.stringContaining(message) }];
    expect(await findScheduleProblems(parameters, now)).toEqual(problems);
  });

  test.each<JsonObject>([
    { cron: '0 0 29 2 *' },
    { cron: '0 0 ? 2 1#5 *' },
    { cron: '59 23 31 12 ? 2199' },
    { at: '2026-11-22T09:01' },
    { at: '2026-11-22T10:01', timeZone: 'Europe/Berlin' },
    { rate: '1 day', startAt: '2199-01-01T00:00Z' },
  ])('%j fires', async (parameters) => {
    expect(await findScheduleProblems(parameters, now)).toEqual([]);
  });
});
