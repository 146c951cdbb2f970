import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { csv } from '../../../nodes/formats/csv.ts';
import { runNodeType, runToMain } from '../../support/run-node-type.ts';

const parsed: readonly (readonly [string, JsonObject, readonly JsonValue[]])[] = [
  ['a,b\n1,2\n', {}, [{ a: '1', b: '2' }]],
  [
    'a,b\r\n1,2\r\n3,4',
    {},
    [
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ],
  ],
  ['\uFEFFa\n1', {}, [{ a: '1' }]],
  ['a,b\n"x,""y""\nz", \n\n', {}, [{ a: 'x,"y"\nz', b: ' ' }]],
  ['a;b\n1;2', { delimiter: ';' }, [{ a: '1', b: '2' }]],
  [
    'a,b\n1,2',
    { header: false },
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['__proto__,constructor\n1,2', {}, [JSON.parse('{"__proto__":"1","constructor":"2"}')]],
  ['a,b', {}, []],
  ['', {}, []],
];

test.each(parsed)('%j is parsed', async (text, options, items) => {
  expect(JSON.stringify(await runToMain(csv, { text, ...options }))).toBe(JSON.stringify({ items }));
});

const written: readonly (readonly [readonly JsonValue[], JsonObject, string])[] = [
  [
    [
      { a: 1, b: true },
      { b: null, a: 'x,"y"' },
    ],
    {},
    'a,b\n1,true\n"x,""y""",\n',
  ],
  [[{ a: 1, b: 2 }], { columns: ['b', 'c'] }, 'b,c\n2,\n'],
  [[{ a: { b: [1] } }], {}, 'a\n"{""b"":[1]}"\n'],
  [[[1, 2], [3]], { header: false }, '1,2\n3\n'],
  [[{ toString: 1 }, {}], {}, 'toString\n1\n\n'],
  [[{ a: '=1+1' }], {}, 'a\n=1+1\n'],
  [[{ a: '=1+1' }], { escapeFormulas: true }, "a\n'=1+1\n"],
  [[{ a: -5, b: '-5', c: -0.5, d: 1e21 }], { escapeFormulas: true }, "a,b,c,d\n-5,'-5,-0.5,1e+21\n"],
  [[], {}, ''],
  [[], { columns: ['a'] }, 'a\n'],
];

test.each(written)('%j is written', async (items, options, text) => {
  expect(await runToMain(csv, { operation: 'write', items, ...options })).toEqual({ text });
});

const failures: readonly (readonly [string, JsonObject, string])[] = [
  [
    'unbalanced quotes',
    { text: 'a,b\n1,"2\n3,4\n' },
    'Parameter "text" has a quote that is not closed: line',
  ],
  [
    'a quote within a value',
    { text: 'a\nx"y' },
    'Parameter "text" has a quote inside a value; put the value in quotes, and double those inside: line 2',
  ],
  ['text behind a quote', { text: 'a\n"x"y' }, 'Parameter "text" has text after a closing quote'],
  [
    'a row of another length',
    { text: 'a,b\n1,2\n3' },
    'Parameter "text" has a row with more or fewer values than the first: line 3',
  ],
  [
    'a name twice',
    { text: 'a,b,a\n1,2,3' },
    'Parameter "text" has the same name for column 3 and an earlier one: line 1',
  ],
  [
    '10,000 columns',
    { text: `${','.repeat(9_999)}\n` },
    'Parameter "text" has more than 1000 columns: line 1',
  ],
  [
    'two million values',
    { text: `${`${'1,'.repeat(999)}1\n`.repeat(1_100)}`, header: false },
    'Parameter "text" has more than 100000 rows, 1000000 values or 20000000 characters; take fewer rows',
  ],
  [
    '20 MB of text',
    { text: 'a'.repeat(20_000_001) },
    'Parameter "text" must be a string of at most 20000000 characters',
  ],
  ['a delimiter that is a quote', { text: 'a', delimiter: '"' }, 'Parameter "delimiter" must be a string'],
  ['no text', {}, 'Parameter "text" must be a string, got nothing'],
  ['no items', { operation: 'write' }, 'Parameter "items" must be a list, got nothing'],
  [
    'a list with a header',
    { operation: 'write', items: [{ a: 1 }, [1]] },
    'Parameter "items[1]" must be a map, got array',
  ],
  [
    'a number',
    { operation: 'write', header: false, items: [1] },
    'Parameter "items[0]" must be a map or a list, got number',
  ],
];

test.each(failures)('%s: fails with the place', async (_name, parameters, message) => {
  expect(await runNodeType(csv, parameters)).toMatchObject({
    failure: { message: expect.stringContaining(message) },
  });
});

describe('for any values', () => {
  const value = fc.string({ unit: 'grapheme' }).filter((text) => text !== '');
  const rows = fc.array(fc.array(value, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 });

  test('written CSV parses to the same values', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(',', ';', '\t'), async (items, delimiter) => {
        const { text } = await runToMain(csv, { operation: 'write', items, header: false, delimiter });
        const result = await runToMain(csv, { text: text ?? '', header: false, delimiter });
        expect(result).toEqual({ items });
      }),
      { numRuns: 100 },
    );
  });
});
