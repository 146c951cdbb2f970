import { describe, expect, test } from '@jest/globals';
import { evaluateExpression } from '../../support/an-expression.ts';

const millis = Date.UTC(2026, 0, 31, 15, 4, 5, 6);

/** As people type it, what is proposed, and what that gives. */
const typed: readonly (readonly [string, string, string])[] = [
  ['YYYY-MM-DD', '[Y0001]-[M01]-[D01]', '2026-01-31'],
  ['yyyy-MM-dd HH:mm', '[Y0001]-[M01]-[D01] [H01]:[m01]', '2026-01-31 15:04'],
  ['dd.MM.yyyy', '[D01].[M01].[Y0001]', '31.01.2026'],
  ['D/M/YY', '[D]/[M]/[Y01]', '31/1/26'],
  ['yyyy-mm-dd', '[Y0001]-[M01]-[D01]', '2026-01-31'],
  ['MMM Do, YYYY', '[MNn,3-3] [D1o], [Y0001]', 'Jan 31st, 2026'],
  ['dddd, d LLLL yyyy', '[FNn], [D] [MNn] [Y0001]', 'Saturday, 31 January 2026'],
  ['hh:mm a', '[h01]:[m01] [P]', '03:04 pm'],
  [
    "yyyy-MM-dd'T'HH:mm:ss.SSSZZ",
    '[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z]',
    '2026-01-31T15:04:05.006+00:00',
  ],
  ['YYYY-MM-DD[T]HH:mm:ss[Z]', '[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01]Z', '2026-01-31T15:04:05Z'],
  ['YYYYMMDD', '[Y0001][M01][D01]', '20260131'],
  ['%Y-%m-%dT%H:%M:%S', '[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01]', '2026-01-31T15:04:05'],
  ['%d %B %Y', '[D01] [MNn] [Y0001]', '31 January 2026'],
];

describe('a date picture', () => {
  test.each(typed)('%s is refused with the hint %s', async (picture, proposed, text) => {
    const message = `${JSON.stringify(picture)} is not a picture: its components must be in brackets; did you mean ${JSON.stringify(proposed)}?`;
    for (const call of [`$fromMillis(${millis}, p)`, '$now(p)', '$toMillis("2026-01-31", p)'])
      await expect(evaluateExpression(call, { p: picture })).rejects.toThrow(message);
    expect(await evaluateExpression(`$fromMillis(${millis}, p)`, { p: proposed })).toBe(text);
  });

  test.each(['today', '', '[[Y]]'])('%j has no marker, and would be output literally', async (picture) => {
    await expect(evaluateExpression('$fromMillis(0, p)', { p: picture })).rejects.toThrow(
      `${JSON.stringify(picture)} is not a picture: its components must be in brackets, as in "[Y0001]-[M01]-[D01]"`,
    );
  });

  test.each([
    ['[Y0001]-[M01]-[D01]', '2026-01-31'],
    ['Week [W] of [Y], address [[D]]', 'Week 5 of 2026, address [D]'],
    ['[H]h [m]min, [D] [MNn]', '15h 04min, 31 January'],
    ['[FNn], 10 a day at [h]', 'Saturday, 10 a day at 3'],
  ])('%s is valid', async (picture, text) => {
    expect(await evaluateExpression(`$fromMillis(${millis}, p)`, { p: picture })).toBe(text);
  });
});
