import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { readColumns } from '../io.ts';
import { toLines } from '../table.ts';

const plain = (_format: string, text: string): string => text;
const titles = ['ID', 'NAME', 'WHY'];
const texts = ['NAME', 'WHY'];
const rows = [
  ['a-1', 'An order of a shop', 'the signature does not match: wrong secret'],
  ['b-22', 'Short', '-'],
];

describe('a table', () => {
  test('without a terminal is as wide as its content', () => {
    expect(toLines({ titles, rows }, null, plain)).toEqual([
      'ID    NAME                WHY',
      'a-1   An order of a shop  the signature does not match: wrong secret',
      'b-22  Short               -',
    ]);
  });

  test.each([
    [
      60,
      [
        'ID    NAME                WHY',
        'a-1   An order of a shop  the signature does not match: wro…',
        'b-22  Short               -',
      ],
    ],
    [
      40,
      ['ID    NAME            WHY', 'a-1   An order of a…  the signature doe…', 'b-22  Short           -'],
    ],
  ])('cuts the widest texts on a terminal of %d columns', (columns, lines) => {
    expect(toLines({ titles, texts, rows }, columns, plain)).toEqual(lines);
  });

  test('continues a row on further lines when the texts would be too short', () => {
    expect(toLines({ titles, texts, rows }, 23, plain)).toEqual([
      'ID',
      '  NAME',
      '  WHY',
      'a-1',
      '  An order of a shop',
      '  the signature does n…',
      'b-22',
      '  Short',
      '  -',
    ]);
  });

  test('never cuts what is copied into another command', () => {
    const id = 'a'.repeat(36);
    expect(toLines({ titles: ['ID', 'WHY'], texts: ['WHY'], rows: [[id, 'x']] }, 20, plain)).toEqual([
      'ID',
      '  WHY',
      id,
      '  x',
    ]);
  });

  test('counts wide characters twice, and cuts between characters', () => {
    const wide = [
      ['a', '注文が届きました'],
      ['b', '👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦'],
    ];
    const lines = toLines({ titles: ['ID', 'NAME'], texts: ['NAME'], rows: wide }, 16, plain);
    expect(lines.slice(1)).toEqual(['a   注文が届き…', 'b   👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦…']);
  });

  test('has one line for a cell, whatever is in it, and colours it alone', () => {
    const paint = (format: string, text: string): string => `<${format}>${text}</>`;
    const cells = [[{ text: 'failed', format: 'red' as const }, 'a\nb\u001b[31mc']];
    expect(toLines({ titles: ['STATUS', 'WHY'], rows: cells }, null, paint)).toEqual([
      'STATUS  WHY',
      '<red>failed</>  a b [31mc',
    ]);
  });

  test('fits any terminal that has room for its other columns', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
    const row = fc.tuple(fc.stringMatching(/^[a-z0-9-]{1,20}$/), cell, cell);
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), fc.integer({ min: 24, max: 150 }), (some, columns) => {
        const lines = toLines({ titles, texts, rows: some }, columns, plain);
        expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
        for (const [id] of some) expect(lines.join('\n')).toContain(id);
      }),
    );
  });
});

test.each([
  [{ isTTY: true, columns: 120 }, '', 120],
  [{ isTTY: true, columns: 120 }, '60', 60],
  [{ isTTY: true, columns: 120 }, 'wide', 120],
  [{ isTTY: true, columns: 120 }, '0', 120],
  [{ isTTY: true, columns: 0 }, '', 80],
  [{ columns: 120 }, '60', null],
])('the terminal %j with COLUMNS=%s has %s columns', (stream, variable, columns) => {
  expect(readColumns(stream, variable)).toBe(columns);
});
