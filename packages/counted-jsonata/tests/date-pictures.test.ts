import { describe, expect, test } from '@jest/globals';
import { suggestLuxonFormat, suggestPicture } from '../src/date-pictures.ts';

describe('a date format in the language of another tool', () => {
  test.each<[format: string, picture: string | null, luxon: string | null]>([
    ['YYYY-MM-DD', '[Y0001]-[M01]-[D01]', 'yyyy-MM-dd'],
    ['yyyy-mm-dd', '[Y0001]-[M01]-[D01]', 'yyyy-MM-dd'],
    ['dd/mm/yyyy', '[D01]/[M01]/[Y0001]', 'dd/MM/yyyy'],
    ['HH:MM', '[H01]:[m01]', 'HH:mm'],
    ['yyyy-MM-dd HH:mm', '[Y0001]-[M01]-[D01] [H01]:[m01]', null],
    ['yyyy-MM-ddTHH:mm:ss', '[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01]', "yyyy-MM-dd'T'HH:mm:ss"],
    ['dddd d LLLL', '[FNn] [D] [MNn]', 'cccc d LLLL'],
    ['DD T', '[D01] T', null],
    ['mm:ss', '[M01]:[s01]', null],
    ['d LLLL at HH:mm', '', ''],
    ['ff yyyy', '', ''],
    ['%Y-%m-%d', '[Y0001]-[M01]-[D01]', 'yyyy-MM-dd'],
    ['%Y %Q', '[Y0001] %Q', "yyyy '%Q'"],
    ['[Y0001]', null, 'yyyy'],
    ['[[x]]', '', null],
    ['[Y0001] MM', '[Y0001] MM', "yyyy 'MM'"],
    ['MMM D, YYYY', '[MNn,3-3] [D], [Y0001]', 'LLL d, yyyy'],
    ['DDDD', '[d001]', null],
    ['Do MMMM', '[D1o] [MNn]', 'd LLLL'],
    ['[MNn] DD', '[MNn] DD', "LLLL 'DD'"],
    ['[at] YYYY', 'at [Y0001]', "'at' yyyy"],
    ['[Mxx] YYYY', '[MNn] YYYY', "LLLL 'YYYY'"],
    ['[[YYYY]] a', '[Y0001] [P]', "[yyyy] 'a'"],
    ["yyyy 'at' HH", '[Y0001] at [H01]', null],
    ['%H:%M', '[H01]:[m01]', 'HH:mm'],
    ['HH:mm', '[H01]:[m01]', null],
    ['foo', '', null],
    ['2026', '', ''],
    ['YYYY-MM-DDTHH:mm:ssZ', '[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01][Z]', "yyyy-MM-dd'T'HH:mm:ssZZ"],
    ['[Y0001]-[M01] hh:mm', '[Y0001]-[M01] hh:mm', "yyyy-MM 'hh':'mm'"],
    ['[Q] YYYY', 'Q [Y0001]', "'Q' yyyy"],
    ['%Y [M01]', '[Y0001] [M01]', 'yyyy MM'],
    ['[Dxx]/[M] yyyy', '[D01]/[M] yyyy', "dd/M 'yyyy'"],
    ['[]YYYY', '[Y0001]', 'yyyy'],
    ['', '', ''],
    ['mm/dd', '[M01]/[D01]', 'MM/dd'],
    ['100% YYYY', '100% [Y0001]', '100% yyyy'],
    ['a[Y0001]MM', 'a[Y0001]MM', "'a'yyyy'MM'"],
    ['[Y0001]/[MM]', null, 'yyyy/LLLL'],
    ['[ YYYY', '[[ [Y0001]', '[ yyyy'],
    ["%'x'd", '%x[D]', null],
    ["'Year' yyyy", 'Year [Y0001]', null],
  ])('%s is %s as a picture, and %s in Luxon tokens', (format, picture, luxon) => {
    expect([suggestPicture(format), suggestLuxonFormat(format)]).toEqual([picture, luxon]);
  });

  test('is translated up to 200 characters', () => {
    expect(suggestPicture(`YYYY${'-'.repeat(196)}`)).toBe(`[Y0001]${'-'.repeat(196)}`);
    expect(suggestPicture(`YYYY${'-'.repeat(197)}`)).toBe('');
  });
});
