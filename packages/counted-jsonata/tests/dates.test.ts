import { describe, expect, test } from '@jest/globals';
import { messageOf, ours, stepsOf } from './an-evaluation.ts';

const at = (iso: string): number => Date.parse(iso);
const summer = at('2026-07-01T12:00:00Z');
const winter = at('2026-01-01T12:00:00Z');
const picture = '[Y0001]-[M01]-[D01] [H01]:[m01] [Z]';

describe('a time zone', () => {
  test.each([
    ['+05:00', winter, '2026-01-01 17:00 +05:00'],
    ['+0530', winter, '2026-01-01 17:30 +05:30'],
    ['-0330', winter, '2026-01-01 08:30 -03:30'],
    ['-03:30', winter, '2026-01-01 08:30 -03:30'],
    ['-0030', winter, '2026-01-01 11:30 -00:30'],
    ['+14', winter, '2026-01-02 02:00 +14:00'],
    ['Z', winter, '2026-01-01 12:00 +00:00'],
    ['+00:00', winter, '2026-01-01 12:00 +00:00'],
    ['UTC', winter, '2026-01-01 12:00 +00:00'],
    ['Europe/Berlin', winter, '2026-01-01 13:00 +01:00'],
    ['Europe/Berlin', summer, '2026-07-01 14:00 +02:00'],
    ['europe/berlin', summer, '2026-07-01 14:00 +02:00'],
    ['Asia/Kolkata', winter, '2026-01-01 17:30 +05:30'],
    ['America/St_Johns', summer, '2026-07-01 09:30 -02:30'],
    ['Pacific/Apia', winter, '2026-01-02 01:00 +13:00'],
    ['Etc/GMT+5', winter, '2026-01-01 07:00 -05:00'],
    // Both times of the hour that clocks show twice.
    ['Europe/Berlin', at('2026-10-25T00:30:00Z'), '2026-10-25 02:30 +02:00'],
    ['Europe/Berlin', at('2026-10-25T01:30:00Z'), '2026-10-25 02:30 +01:00'],
  ])('%s at %d is %s', (zone, millis, text) => {
    expect(ours('$fromMillis(t, p, z)', { t: millis, p: picture, z: zone })).toBe(JSON.stringify(text));
  });

  test.each([
    ['[Z]', '-03:30'],
    ['[z]', 'GMT-03:30'],
    ['[Z0001]', '-0330'],
    ['[Z1]', '-3:30'],
    ['[Z01:01t]', '-03:30'],
    ['[[[Z]]]', '[-03:30]'],
  ])('%s writes its offset as %s', (marker, text) => {
    expect(ours('$fromMillis(0, p, "-0330")', { p: marker })).toBe(JSON.stringify(text));
  });

  test('it changes the default picture, and $now()', () => {
    expect(ours('$fromMillis(0, (), "+05:30")')).toBe('"1970-01-01T05:30:00.000+05:30"');
    expect(ours('$now("[H01]:[m01] [Z]", "Europe/Oslo")')).toBe('"13:00 +01:00"');
  });

  test.each([
    '',
    'Berlin',
    'Europe/Berlln',
    'local',
    'GMT+5',
    'UTC+5',
    '5',
    '+5',
    '0530',
    '+530',
    '+24:00',
    '+05:60',
    '+05:30:00',
    ' +05:30',
    'x'.repeat(200),
  ])('%j is refused', (zone) => {
    expect(ours('$fromMillis(0, p, z)', { p: picture, z: zone })).toBe('D3152');
    expect(ours('$now(p, z)', { p: picture, z: zone })).toBe('D3152');
  });

  test('an offset with seconds is in the time, and cannot be written', () => {
    const input = { t: at('1850-01-01T00:00:00Z'), z: 'Europe/Berlin' };
    expect(ours('$fromMillis(t, "[H01]:[m01]:[s01]", z)', input)).toBe('"00:53:28"');
    expect(ours('$fromMillis(t, "[H01]:[m01]:[s01] [Z]", z)', input)).toBe('D3155');
    expect(ours('$fromMillis($toMillis("0001-01-01T00:00:00Z"), "[Y0001] [H01]:[m01]", z)', input)).toBe(
      '"0001 00:53"',
    );
  });

  test('each one of a run costs steps once, and each use some more', () => {
    const costOf = (text: string) => stepsOf(text, {});
    const once = costOf('[$fromMillis(0, "[H]", "Asia/Tokyo")]');
    const twice = costOf('[$fromMillis(0, "[H]", "Asia/Tokyo"), $fromMillis(0, "[H]", "Asia/Tokyo")]');
    const another = costOf('[$fromMillis(0, "[H]", "Asia/Tokyo"), $fromMillis(0, "[H]", "Asia/Seoul")]');
    expect([once, twice, another]).toEqual([1041, 1081, 2081]);
  });
});

describe('a time as text', () => {
  test.each([
    [1e300, undefined],
    [8.64e15, undefined],
    [253_402_300_800_000, '[Y]'],
    [-62_200_000_000_000, '[Y0001]'],
    [253_402_300_799_999, '[Y0001] [Z]'],
  ])('%d with the picture %s is outside the years of four digits', (millis, form) => {
    const call = form === undefined ? '$fromMillis(t)' : '$fromMillis(t, p, "+01:00")';
    expect(ours(call, { t: millis, p: form })).toBe('D3153');
  });

  test.each([
    [5, '[s].[f001]', '00.005'],
    [5, '[f]', '005'],
    [123, '[f01]', '12'],
    [5, '[f000001]', '005000'],
    [-1, '[s].[f001]', '59.999'],
    [1.9, '[f001]', '001'],
    [0, '[[[Y]]] [C]', '[1970] ISO'],
  ])('%d as %s is %s', (millis, form, text) => {
    expect(ours('$fromMillis(t, p)', { t: millis, p: form })).toBe(JSON.stringify(text));
  });

  test.each([
    ['[Q1]', 'D3132'],
    ['[Y] [M', 'D3135'],
    ['[ZN]', 'D3134'],
    ['[Z00001]', 'D3134'],
    ['[HN]', 'D3133'],
    ['[Hx]', 'D3130'],
  ])('the picture %s is refused: %s', (form, code) => {
    expect(ours('$fromMillis(0, p)', { p: form })).toBe(code);
  });
});

describe('a text as time', () => {
  test.each([
    ['2026', '2026-01-01T00:00:00Z'],
    ['2026-02', '2026-02-01T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2026-01-31T10:00:00', '2026-01-31T10:00:00Z'],
    ['2026-01-31T10:00Z', '2026-01-31T10:00:00Z'],
    ['2026-01-31T10:00:00.5+05:30', '2026-01-31T04:30:00.500Z'],
    ['2026-01-31T10:00:00.123456789-0330', '2026-01-31T13:30:00.123Z'],
    ['2026-01-31+01:00', '2026-01-30T23:00:00Z'],
    ['2026-01-31T24:00:00Z', '2026-02-01T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ])('%s is %s', (text, iso) => {
    expect(ours('$toMillis(t)', { t: text })).toBe(String(at(iso)));
  });

  test.each([
    '2026-02-30',
    '2026-02-29T10:00:00Z',
    '2026-04-31',
    '2026-00-10',
    '2026-13-01',
    '2026-01-00',
    '2026-01-31T25:00:00Z',
    '2026-01-31T24:00:01Z',
    '2026-01-31T10:60:00Z',
    '2026-01-31T10:00:60Z',
    '2026-01-31T10:00:00+24:00',
    '2026-01-31T10:00:00+05:60',
    '2026-01-31T10',
    '2026-01-31.5',
    '2026T10:00:00',
    '10:00:00',
    '20260131',
    '',
  ])('%j is refused', (text) => {
    expect(ours('$toMillis(t)', { t: text })).toBe('D3110');
  });
});

describe('a text in the form of a picture', () => {
  test.each([
    ['30.01.2026', '[D01].[M01].[Y0001]', '2026-01-30T00:00:00Z'],
    ['january 31 2026', '[MNn] [D] [Y]', '2026-01-31T00:00:00Z'],
    ['31JAN2026', '[D01][MN,3-3][Y0001]', '2026-01-31T00:00:00Z'],
    ['Saturday, 31 January 2026', '[FNn], [D] [MNn] [Y]', '2026-01-31T00:00:00Z'],
    ['2026-031 10:30', '[Y0001]-[d001] [H01]:[m01]', '2026-01-31T10:30:00Z'],
    ['31/01/26', '[D01]/[M01]/[Y01]', '2026-01-31T00:00:00Z'],
    ['31/01/99', '[D01]/[M01]/[Y01]', '1999-01-31T00:00:00Z'],
    ['12:05 am', '[h]:[m] [P]', '2026-01-31T00:05:00Z'],
    ['12:05 PM', '[h]:[m] [P]', '2026-01-31T12:05:00Z'],
    ['2026-01-31 10:00:00.25', '[Y0001]-[M01]-[D01] [H01]:[m01]:[s01].[f]', '2026-01-31T10:00:00.250Z'],
    ['2026-01-31 10:00 -03:30', picture, '2026-01-31T13:30:00Z'],
    ['2026-01-31 10:00 +0530', picture, '2026-01-31T04:30:00Z'],
    ['2026-01-31 10:00 +5', picture, '2026-01-31T05:00:00Z'],
    ['2026-01-31 10:00 Z', picture, '2026-01-31T10:00:00Z'],
    ['10:00GMT+05:30', '[H1]:[m01][z]', '2026-01-31T04:30:00Z'],
    // There, it is the next day already.
    ['01:00 +14:00', '[H01]:[m01] [Z]', '2026-01-31T11:00:00Z'],
    ['first of March, 2026', '[Dwo] of [MNn], [Y]', '2026-03-01T00:00:00Z'],
    ['XXXI.I.2026', '[DI].[MI].[Y]', '2026-01-31T00:00:00Z'],
    ['2026-01-31, week 5', '[Y]-[M]-[D], week [W]', '2026-01-31T00:00:00Z'],
  ])('%j as %s is %s', (text, form, iso) => {
    expect(ours('$toMillis(t, p)', { t: text, p: form })).toBe(String(at(iso)));
  });

  test.each([
    ['30.02.2026', '[D].[M].[Y]'],
    ['01.13.2026', '[D].[M].[Y]'],
    ['00.01.2026', '[D].[M].[Y]'],
    ['01.00.2026', '[D].[M].[Y]'],
    ['2026-366', '[Y]-[d]'],
    ['24:00', '[H]:[m]'],
    ['10:60', '[H]:[m]'],
    ['13:00 pm', '[h]:[m] [P]'],
    ['09:00 pm', '[H]:[m] [P]'],
    ['Monday, 31 January 2026', '[FNn], [D] [MNn] [Y]'],
    ['31 J 2026', '[D] [MN,1-1] [Y]'],
    ['2026-01-31, week 6', '[Y]-[M]-[D], week [W]'],
    ['2026-01-31 10:00 +24:00', picture],
    ['2026-01-31 10:00 +05:99', picture],
    ['31 1 12026', '[D] [M] [Y]'],
    ['IIII nonsense', '[DI] [MWw]'],
    ['2026 2027-01-31', '[Y] [Y]-[M]-[D]'],
  ])('%j as %s does not exist', (text, form) => {
    expect(ours('$toMillis(t, p)', { t: text, p: form })).toMatch(/^(D3154|no result)$/);
  });

  test.each([
    ['31 Foo 2026', '[D] [MNn] [Y]'],
    ['31', '[D].[M]'],
    ['10:00 xm', '[h]:[m] [P]'],
    ['10:00 Berlin', '[H]:[m] [Z]'],
  ])('%j does not have the form %s', (text, form) => {
    expect(ours('$toMillis(t, p)', { t: text, p: form })).toBe('no result');
  });

  test.each([
    ['11:30', '[h]:[m]'],
    ['pm', '[P]'],
    ['31 10 5', '[D] [H] [s]'],
    ['2026 5', '[Y] [W]'],
    ['Monday', '[FNn]'],
    ['+05:00', '[Z]'],
  ])('%j lacks components in the form %s', (text, form) => {
    expect(ours('$toMillis(t, p)', { t: text, p: form })).toBe('D3136');
  });

  test.each([
    ['[Y0001]-[m01]-[D01]', '[Y0001]-[M01]-[D01]'],
    ['[H01]:[M01]', '[H01]:[m01]'],
  ])('%s has months and minutes mixed up', (form, meant) => {
    for (const call of ['$fromMillis(0, p)', '$toMillis("2026-01-31", p)', '$now(p)'])
      expect(messageOf(call, { p: form })).toContain(
        `${JSON.stringify(form)} has months and minutes mixed up: [M] is the month, [m] the minute; did you mean ${JSON.stringify(meant)}?`,
      );
    expect(ours('$fromMillis(0, p)', { p: meant })).not.toMatch(/^D/);
  });

  test('the message names the text', () => {
    expect(messageOf('$toMillis("30.02.2026", "[D].[M].[Y]")')).toBe(
      'The argument of the toMillis function is not a date and time that exists: "30.02.2026" (character 10)',
    );
    expect(messageOf('$fromMillis(0, "[Y]", "Berlin")')).toBe(
      'The time zone of $fromMillis() must be a name of the IANA database, such as Europe/Oslo, or an offset such as +05:30 or Z; got "Berlin" (character 12)',
    );
  });
});

test('$parseInteger refuses what is no number', () => {
  expect(ours('$parseInteger("foo", "w")')).toBe('D3030');
  expect(ours('$parseInteger(missing, "w")')).toBe('no result');
});
