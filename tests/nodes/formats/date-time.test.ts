import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { dateTime } from '../../../nodes/formats/date-time.ts';
import { runNodeType, runToMain } from '../../support/run-node-type.ts';

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

test.each([
  [{ value: 'tomorrow' }, 'Parameter "value" must be a date and time: ISO 8601, or milliseconds since 1970'],
  [{ value: '2026-02-30' }, 'Parameter "value" must be a date and time'],
  [
    { value: '1', inputFormat: 'yyyy' },
    'Parameter "value" must be a date and time: in the format of "inputFormat"',
  ],
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
