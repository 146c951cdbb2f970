import type { FileValue, JsonObject, PluginHandle } from '@hookloom/plugin-kit';
import { isPure } from '@hookloom/plugin-kit/host';
import { createFakeFiles, runNode } from '@hookloom/plugin-kit/testing';
import { describe, expect, test } from '@jest/globals';
import { splitCsv } from '../../../nodes/formats/csv.chunk.ts';
import { csv } from '../../../nodes/formats/csv.ts';
import { readCsvRows } from '../../../nodes/formats/csv-rows.ts';
import { html } from '../../../nodes/formats/html.ts';
import { xml } from '../../../nodes/formats/xml.ts';
import { cases } from '../../support/deep.ts';

const files = createFakeFiles();
const aFile = (content: string | Uint8Array, name = 'a.csv'): FileValue =>
  files.add(content, { name, mediaType: 'text/csv' });

/** The output of a node, or its error. */
const run = (handle: PluginHandle, parameters: JsonObject): Promise<unknown> =>
  runNode(handle, { parameters, files }).then(
    ({ outputs }) => outputs.main,
    (error: Error) => error.message,
  );

const read = async (file: unknown): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await files.open(file as FileValue)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const rows = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `${index + from},"row ${index + from}"\n`).join('');

describe('a CSV file is parsed', () => {
  const parsed: readonly (readonly [string, string | Uint8Array, JsonObject, readonly unknown[]])[] = [
    ['with a header', 'a,b\n1,2\n', {}, [{ a: '1', b: '2' }]],
    [
      'without one',
      'a,b\n1,2',
      { header: false },
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['with quotes, line ends and a mark', '\uFEFFa\r\n"x,""y""\nz"\r\n\r\n', {}, [{ a: 'x,"y"\nz' }]],
    ['with a name of a prototype', '__proto__\n1', {}, [JSON.parse('{"__proto__":"1"}')]],
    ['in UTF-16', Buffer.from('\uFEFFa\nü\n', 'utf16le'), {}, [{ a: 'ü' }]],
    ['in a part', `a,b\n${rows(9)}`, { skip: 2, limit: 1 }, [{ a: '2', b: 'row 2' }]],
    ['beyond its end', 'a,b\n1,2\n', { skip: 1 }, []],
    ['no further than the limit', 'a\n1\n"unbalanced', { limit: 1 }, [{ a: '1' }]],
    ['when it is empty', '', {}, []],
  ];

  test.each(parsed)('%s', async (_case, content, options, items) => {
    expect(await run(csv, { file: aFile(content), ...options })).toEqual({ items });
  });

  test('like a text, with skip and limit', async () => {
    const text = `a,b\n${rows(9)}"unbalanced`;
    const options = { skip: 2, limit: 3 };
    const fromText = await run(csv, { text, ...options });
    expect(fromText).toEqual(await run(csv, { file: aFile(text), ...options }));
    expect(fromText).toMatchObject({ items: [{ a: '2' }, { a: '3' }, { a: '4' }] });
  });

  test.each<[string, string, string]>([
    ['unbalanced quotes', 'a,b\n1,"2\n', 'has a quote that is not closed: line'],
    ['a quote within a value', 'a\nx"y', 'has a quote inside a value; put the value in quotes'],
    ['a row of another length', 'a,b\n1\n', 'has a row with more or fewer values than the first: line 2'],
    ['a name twice', 'a,a\n1,2', 'has the same name for column 2 and an earlier one: line 1'],
    ['1,001 columns', `${','.repeat(1_000)}\n`, 'has more than 1000 columns: line 1'],
    ['a row of 2 MB', `a\n"${'x'.repeat(2_000_000)}"\n`, 'has a row of more than 1 MB, or an unclosed quote'],
  ])('%s: fails with the place', async (_case, content, message) => {
    expect(await run(csv, { file: aFile(content) })).toContain(`Parameter "file" ${message}`);
  });
});

test('100,001 rows in a file are too many at once', async () => {
  const file = aFile('1\n'.repeat(100_001));
  expect(await run(csv, { file, header: false })).toContain('take fewer rows with limit, or split the file');
});

describe('a CSV file is split', () => {
  test('into parts with the header', async () => {
    const source = aFile(`id,name\n${rows(5)}`, 'people.2026.csv');
    const output = (await run(csv, { operation: 'split', file: source, rowsPerFile: 2 })) as JsonObject;
    const parts = output.files as unknown as readonly FileValue[];
    expect(output.rows).toBe(5);
    expect(parts.map(({ name }) => name)).toEqual([1, 2, 3].map((number) => `people.2026-${number}.csv`));
    expect(await Promise.all(parts.map(read))).toEqual([
      'id,name\n0,row 0\n1,row 1\n',
      'id,name\n2,row 2\n3,row 3\n',
      'id,name\n4,row 4\n',
    ]);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['a header alone', {}, { files: [], rows: 0 }],
    ['no header', { header: false }, { files: [expect.anything()] as never, rows: 1 }],
  ])('with %s', async (_case, options, output) => {
    expect(await run(csv, { operation: 'split', file: aFile('a,b\n'), ...options })).toEqual(output);
  });

  test('fails at the line of an error', async () => {
    const file = aFile(`a,b\n${rows(3)}1\n`);
    expect(await run(csv, { operation: 'split', file, rowsPerFile: 2 })).toContain('than the first: line 5');
  });

  test('in constant memory', async () => {
    const megabytes = cases(2, 20);
    const block = Buffer.from(`7,"${'x'.repeat(995)}"\n`.repeat(64));
    let produced = 0;
    let ahead = 0;
    const content = async function* () {
      for (; produced < megabytes * 1_000_000; produced += block.length) yield block;
    };
    let consumed = 0;
    const save = async (part: AsyncIterable<Uint8Array>) => {
      for await (const chunk of part) {
        consumed += chunk.length;
        ahead = Math.max(ahead, produced - consumed);
      }
      return aFile('');
    };
    const options = { header: false, delimiter: ',', rowsPerFile: 1_000 };
    const output = await splitCsv(content(), 'big.csv', options, { save });
    expect(output.rows).toBe(produced / 1_000);
    expect(ahead).toBeLessThan(500_000); // what is read ahead does not grow with the file
  });
});

test('reading rows ends when the consumer has enough', async () => {
  let isClosed = false;
  const content = async function* () {
    try {
      for (;;) yield Buffer.from(rows(1_000));
    } finally {
      isClosed = true;
    }
  };
  for await (const [first] of readCsvRows(content(), ',')) if (first !== undefined) break;
  expect(isClosed).toBe(true);
});

test('reading rows of a file that breaks fails with its error', async () => {
  const content = async function* () {
    yield Buffer.from(rows(1));
    throw new Error('the file has changed');
  };
  const readAll = async () => {
    for await (const _rows of readCsvRows(content(), ','));
  };
  await expect(readAll()).rejects.toThrow('the file has changed');
});

test('CSV is written to a file', async () => {
  const items = Array.from({ length: 2_500 }, (_, id) => ({ id, name: `row ${id}` }));
  const output = (await run(csv, { operation: 'write', items, to: 'file', name: 'b.csv' })) as JsonObject;
  expect(output.file).toMatchObject({ name: 'b.csv', mediaType: 'text/csv' });
  expect(await read(output.file)).toBe(`id,name\n${rows(2_500).replaceAll('"', '')}`);
});

test.each<[string, PluginHandle, string, JsonObject, JsonObject]>([
  ['xml', xml, '<a><b>ü</b></a>', {}, { data: { a: { b: 'ü' } } }],
  ['html', html, '<h1>ü</h1>', { values: { title: { selector: 'h1' } } }, { title: 'ü' }],
])('%s reads a file', async (_id, handle, content, parameters, output) => {
  expect(await run(handle, { file: aFile(content), ...parameters })).toEqual(output);
});

const page = { values: { title: { selector: 'h1' } } };
const file = aFile('a');

test.each<[string, PluginHandle, JsonObject, string]>([
  ['a name for a file', csv, { file: 'a.csv' }, 'Parameter "file" must be a file, got string'],
  ['no file to split', csv, { operation: 'split' }, 'Parameter "file" must be a file, got null'],
  ['a text beside a file', csv, { file, text: 'a' }, 'Parameter "text" cannot be combined with "file"'],
  [
    'a page beside a file',
    html,
    { ...page, file, html: 'a' },
    'Parameter "html" cannot be combined with "file"',
  ],
  ['no page', html, page, 'Parameter "html" must be a string, got nothing'],
  ['bytes', xml, { file: aFile(Buffer.from([0xff])) }, 'Parameter "file" is not UTF-8'],
  ['half a document', xml, { file: aFile('<a>') }, 'Parameter "file" ends within an element: line 1'],
  [
    'a document of 10 MB',
    xml,
    { file: { ...file, size: 10_000_001 } },
    'Parameter "file" has 10000001 bytes, more than the 10000000 allowed',
  ],
])('%s fails by name', async (_case, handle, parameters, message) => {
  expect(await run(handle, parameters)).toContain(message);
});

test.each<[string, PluginHandle, JsonObject, boolean]>([
  ['csv', csv, { text: '{{ body }}' }, true],
  ['csv', csv, { operation: 'write', items: [], to: 'text' }, true],
  ['csv', csv, { file: '{{ $nodes.download.body }}' }, false],
  ['csv', csv, { operation: 'write', items: [], to: '{{ to }}' }, false],
  ['xml', xml, { text: '{{ body }}' }, true],
  ['xml', xml, { file: '{{ file }}' }, false],
  ['html', html, { html: '{{ body }}' }, true],
  ['html', html, { file: '{{ file }}' }, false],
])('%s is pure when it touches no file', (_id, { pure = false }, parameters, expected) => {
  expect(isPure({ pure }, parameters)).toBe(expected);
});
