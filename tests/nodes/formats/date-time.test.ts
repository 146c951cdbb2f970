import type { JsonObject } from '@hookloom/plugin-kit';
import { afterEach, expect, jest, test } from '@jest/globals';
import { computeDateTime } from '../../../nodes/formats/date-time.chunk.ts';
import { dateTime } from '../../../nodes/formats/date-time.ts';
import { runNodeType, runToMain } from '../../support/run-node-type.ts';

afterEach(() => {
  jest.useRealTimers();
});

const value = '2026-03-28T23:30:00+01:00';
const timeZone = 'Europe/Oslo';

const cases: readonly (readonly [JsonObject, JsonObject])[] = [
  [{ value }, { iso: '2026-03-28T22:30:00.000Z', epochMs: 1_774_737_000_000 }],
  [{ value: 0 }, { iso: '1970-01-01T00:00:00.000Z' }],
  [{ value: '2026-03-28', timeZone }, { iso: '2026-03-28T00:00:00.000+01:00' }],
  [{ value: '28.03.2026 23:30', inputFormat: 'dd.MM.yyyy HH:mm', timeZone }, { epochMs: 1_774_737_000_000 }],
  [
    { value: '28. mars 2026', inputFormat: 'd. LLLL yyyy', locale: 'nb' },
    { iso: '2026-03-28T00:00:00.000Z' },
  ],
  [{ value, format: 'd LLLL yyyy, HH:mm', timeZone }, { text: '28 March 2026, 23:30' }],
  [{ value, format: 'd. LLLL', timeZone, locale: 'nb' }, { text: '28. mars' }],
  [{ operation: 'add', value, timeZone, duration: { days: 1 } }, { iso: '2026-03-29T23:30:00.000+02:00' }],
  [{ operation: 'add', value, timeZone, duration: { hours: 24 } }, { iso: '2026-03-30T00:30:00.000+02:00' }],
  [{ operation: 'add', value: '2026-01-31', duration: { months: 1 } }, { iso: '2026-02-28T00:00:00.000Z' }],
  [{ operation: 'startOf', value, unit: 'weeks', timeZone }, { iso: '2026-03-23T00:00:00.000+01:00' }],
  [{ operation: 'endOf', value, unit: 'months' }, { iso: '2026-03-31T23:59:59.999Z' }],
  [{ operation: 'difference', value: '2026-01-01', until: '2026-01-11' }, { difference: 10 }],
  [
    { operation: 'difference', value: '2026-01-01', until: '2025-12-31T12:00:00Z', unit: 'hours' },
    { difference: -12 },
  ],
];

test.each(cases)('%j gives %j', async (parameters, output) => {
  expect(await runToMain(dateTime, parameters)).toMatchObject(output);
});

test('without a value it is the start of the execution', async () => {
  const { epochMs } = await runToMain(dateTime, {});
  expect(await runToMain(dateTime, { value: '{{ $execution.startedAt }}' })).toMatchObject({ epochMs });
});

/** At the start of the execution it is still 28 March in UTC, and 29 March in Oslo. */
const startedAt = Date.parse('2026-03-28T23:30:00Z');

test.each<[JsonObject, string]>([
  [{ value: '10:30', inputFormat: 'HH:mm' }, '2026-03-28T10:30:00.000Z'],
  [{ value: '10:30', inputFormat: 'HH:mm', timeZone }, '2026-03-29T10:30:00.000+02:00'],
  [{ value: '10:30', timeZone }, '2026-03-29T10:30:00.000+02:00'],
  [{ value: '10:30 +14:00', inputFormat: 'HH:mm ZZ' }, '2026-03-28T20:30:00.000Z'],
  [{ value: '1 June', inputFormat: 'd LLLL' }, '2026-06-01T00:00:00.000Z'],
  [{ value: 'Monday', inputFormat: 'cccc' }, '2026-03-23T00:00:00.000Z'],
  [{ value: '2026-10-25T02:30', timeZone }, '2026-10-25T02:30:00.000+02:00'],
  [{ value: '2026-10-25T02:30+01:00', timeZone }, '2026-10-25T02:30:00.000+01:00'],
  [
    { value: '2026-11-01 01:30', inputFormat: 'yyyy-MM-dd HH:mm', timeZone: 'America/New_York' },
    '2026-11-01T01:30:00.000-04:00',
  ],
  [{ value: '2026-10-25 02:30 Europe/Oslo', inputFormat: 'yyyy-MM-dd HH:mm z' }, '2026-10-25T00:30:00.000Z'],
  [
    { value: '2026-10-25 02:30 Europe/Oslo +01:00', inputFormat: 'yyyy-MM-dd HH:mm z ZZ' },
    '2026-10-25T01:30:00.000Z',
  ],
  [{ value: '2026-01-31T10:00', timeZone: '-0330' }, '2026-01-31T10:00:00.000-03:30'],
  [{ value: '2026-01-31T10:00', timeZone: '+05:30' }, '2026-01-31T10:00:00.000+05:30'],
  [{ value: '2026-01-31T10:00', timeZone: 'Z' }, '2026-01-31T10:00:00.000Z'],
])('%j is %s, whatever the clock says', (parameters, iso) => {
  const options = {
    operation: 'convert',
    timeZone: 'UTC',
    locale: 'en',
    duration: {},
    unit: 'days',
    ...parameters,
  } as never;
  for (const clock of ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z']) {
    jest.useFakeTimers({ now: new Date(clock) });
    expect(computeDateTime(options, startedAt).iso).toBe(iso);
  }
});

test.each([
  [{ value: 'tomorrow' }, 'Parameter "value" must be a date and time: ISO 8601, or milliseconds since 1970'],
  [{ value: '2026-02-30' }, 'Parameter "value" must be a date and time'],
  [
    { value: '1', inputFormat: 'yyyy' },
    'Parameter "value" must be a date and time: in the format of "inputFormat"',
  ],
  [
    { value: '2026-03-29T02:30', timeZone },
    'Parameter "value" must be a time that clocks in the time zone do not skip',
  ],
  [{ value: '30.02.2026', inputFormat: 'dd.MM.yyyy' }, 'Parameter "value" must be a date and time'],
  [{ value: 8.7e15 }, 'Parameter "value" must be a date and time'],
  [{ value, timeZone: 'local' }, 'Parameter "timeZone" must be a name'],
  [{ value: true }, 'Parameter "value" must be a string'],
  [{ value, timeZone: 'Oslo' }, 'Parameter "timeZone" must be a name of the IANA database'],
  [{ value, locale: '!' }, 'Parameter "locale" must be a language tag'],
  [{ operation: 'add', value, duration: { day: 1 } }, 'Parameter "duration" must only have the keys years,'],
  [{ operation: 'add', value, duration: { days: 'x' } }, 'Parameter "duration.days" must be a number'],
  [
    { operation: 'add', value, duration: { years: 1e9 } },
    'Parameter "duration" leads to a year outside the range of dates',
  ],
  [{ operation: 'difference', value }, 'Parameter "until" must be a string or a number, got nothing'],
  [{ operation: 'difference', value, until: 'x' }, 'Parameter "until" must be a date and time'],
])('%j fails', async (parameters, message) => {
  expect(await runNodeType(dateTime, parameters as unknown as JsonObject)).toMatchObject({
    failure: { message: expect.stringContaining(message) },
  });
});

/** Forms of other tools, with the tokens of Luxon that mean the same. */
const foreign: readonly (readonly [string, string])[] = [
  ['YYYY-MM-DD', 'yyyy-MM-dd'],
  ['YYYY-MM-DD[T]HH:mm:ss', "yyyy-MM-dd'T'HH:mm:ss"],
  ['DD.MM.yyyy', 'dd.MM.yyyy'],
  ['dddd, D MMMM YYYY', 'cccc, d LLLL yyyy'],
  ['hh:mm A, D/M/YY', 'hh:mm a, d/M/yy'],
  ['%Y-%m-%d', 'yyyy-MM-dd'],
  ['%d.%m.%Y %H:%M', 'dd.MM.yyyy HH:mm'],
  ['[Y0001]-[M01]-[D01]', 'yyyy-MM-dd'],
  ['[D] [MNn] [Y], [H01]:[m01]', 'd LLLL yyyy, HH:mm'],
];

test.each(foreign)('the format %s is refused with the hint %s', async (format, proposed) => {
  const message = `is not in Luxon tokens; did you mean ${JSON.stringify(proposed)}?`;
  for (const name of ['format', 'inputFormat']) {
    expect(await runNodeType(dateTime, { value, [name]: '{{ f }}' }, { f: format })).toMatchObject({
      failure: { name: 'RangeError', message: `Parameter "${name}" ${message}` },
    });
    expect(await dateTime.checkParameters?.({ [name]: format })).toEqual([{ path: `/${name}`, message }]);
    expect(await dateTime.checkParameters?.({ [name]: proposed })).toEqual([]);
  }
});

test.each(['DD', 'D T', 'DDDD', 'yyyy', "d 'of' LLLL", 'x', 'EEE', 'ff', "yyyy-'W'kk"])(
  'the format %s is valid in Luxon',
  async (format) => {
    expect(await dateTime.checkParameters?.({ format })).toEqual([]);
    expect(await runToMain(dateTime, { value, format })).toHaveProperty('text');
  },
);

test.each(["'today'", '--', '1.1.'])(
  'the format %s has no token and would be output literally',
  async (format) => {
    const message = 'is not in Luxon tokens, such as "yyyy-MM-dd HH:mm"';
    expect(await dateTime.checkParameters?.({ format, inputFormat: '{{ a }}' })).toEqual([
      { path: '/format', message },
    ]);
  },
);

test.each<[JsonObject, string]>([
  [{ timeZone: 'Europe/Olso' }, '/timeZone'],
  [{ timeZone: 'GMT+5' }, '/timeZone'],
  [{ value: '2026-02-30' }, '/value'],
  [{ value: '2026-03-29T02:30', timeZone }, '/value'],
  [{ value: '31.11.2026', inputFormat: 'dd.MM.yyyy' }, '/value'],
  [{ operation: 'difference', value: '2026-01-01', until: 'tomorrow' }, '/until'],
])('%j is refused before a run at %s', async (parameters, path) => {
  expect(await dateTime.checkParameters?.(parameters)).toEqual([{ path, message: expect.any(String) }]);
});

test.each<JsonObject>([
  { value: '2026-03-29T02:30', timeZone: '{{ zone }}' },
  { value: '2026-02-{{ day }}' },
  { value: '31.11.2026', inputFormat: '{{ format }}' },
  { value: '2026-01-31', timeZone: '+05:30' },
  { value: 0 },
])('%j may be right', async (parameters) => {
  expect(await dateTime.checkParameters?.(parameters)).toEqual([]);
});
