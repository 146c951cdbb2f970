import { expect, test } from '@jest/globals';
import type { JsonObject } from '../../../lib/contract/json.ts';
import { dateTime } from '../../../lib/nodes/formats/date-time.ts';
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
    'Parameter "value" must be a date and time: of the form of "inputFormat"',
  ],
  [{ value: true }, 'Parameter "value" must be a string'],
  [{ value, timeZone: 'Oslo' }, 'Parameter "timeZone" must be a name of the IANA database'],
  [{ value, locale: '!' }, 'Parameter "locale" must be a language tag'],
  [{ operation: 'add', value, duration: { day: 1 } }, 'Parameter "duration" must have no keys but years,'],
  [{ operation: 'add', value, duration: { days: 'x' } }, 'Parameter "duration.days" must be a number'],
  [
    { operation: 'add', value, duration: { years: 1e9 } },
    'Parameter "duration" leads beyond the years that a date can have',
  ],
  [{ operation: 'difference', value }, 'Parameter "until" must be a string or a number, got nothing'],
  [{ operation: 'difference', value, until: 'x' }, 'Parameter "until" must be a date and time'],
])('%j fails', async (parameters, message) => {
  expect(await runNodeType(dateTime, parameters as unknown as JsonObject)).toMatchObject({
    failure: { message: expect.stringContaining(message) },
  });
});
