import {
  closed,
  defineAction,
  eachOf,
  fileValue,
  pureWithoutFile,
  readSource,
  Type,
  when,
  wrongParameter,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

export const csv = defineAction({
  id: 'csv',
  name: 'CSV',
  description:
    'Reads, writes and splits comma-separated values (RFC 4180), in strings and in files of any size. All values are read as strings, so 007 stays "007"; at most 100,000 rows, 1,000 columns and 1,000,000 values at once. To process a large file, split it, and read its parts one by one in the body of forEach',
  pure: pureWithoutFile,
  outputs: {
    main: Given.by(
      'operation',
      {
        parse: closed({
          items: Type.Array(
            Given.by(
              'header',
              { true: Type.Record(Type.String(), Type.String()), false: Type.Array(Type.String()) },
              true,
            ),
          ),
        }),
        write: Given.by(
          'to',
          { text: closed({ text: Type.String() }), file: closed({ file: fileValue }) },
          'text',
        ),
        split: closed({ files: Type.Array(fileValue), rows: Type.Integer() }),
      },
      'parse',
    ),
  },
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write', 'split'], {
        default: 'parse',
        description:
          'parse: text or file to { items }; write: items to { text } or { file }; split: file to { files, rows }',
      }),
      text: Type.Optional(Type.String({ maxLength: 20_000_000, description: 'The text to parse' })),
      file: Type.Optional(
        Type.Unknown({ description: 'A file to parse instead of text, or to split; UTF-8 or UTF-16' }),
      ),
      skip: Type.Integer({
        default: 0,
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'How many rows to skip when parsing, not counting the header',
      }),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100_000,
          description: 'How many rows to parse; the rest is not read. All rows by default',
        }),
      ),
      rowsPerFile: Type.Integer({
        default: 10_000,
        minimum: 1,
        maximum: 10_000_000,
        description: 'Rows per part when splitting, not counting the header',
      }),
      to: Type.Enum(['text', 'file'], { default: 'text', description: 'What to write' }),
      name: Type.String({
        holes: 'fail',
        default: 'table.csv',
        minLength: 1,
        maxLength: 255,
        description: 'Name of the written file',
      }),
      items: Type.Optional(
        Type.Array(Type.Unknown({ items: { withoutResult: null } }), {
          maxItems: 100_000,
          description:
            'The rows to write: maps, or, without a header, lists. Lists and maps inside them are written as JSON',
        }),
      ),
      header: Type.Boolean({
        default: true,
        description: 'The first row has the column names, and items are maps; otherwise items are lists',
      }),
      columns: Type.Array(Type.String(), {
        default: [],
        maxItems: 1_000,
        description: 'The columns to write, in order; by default those of the first item',
      }),
      delimiter: Type.String({
        default: ',',
        minLength: 1,
        maxLength: 1,
        pattern: '^[^"\\r\\n]$',
        description: 'Between the values of a row',
      }),
      escapeFormulas: Type.Boolean({
        default: false,
        description:
          'Write an apostrophe before text that begins with = + - @, which spreadsheet programs would evaluate',
      }),
    },
    {
      allOf: [
        when('operation', 'parse', { anyOf: eachOf('text', 'file') }, true),
        when('operation', 'write', { required: ['items'] }),
        when('operation', 'split', { required: ['file'] }),
      ],
    },
  ),
  example: {
    parameters: { text: '{{ body }}' },
    input: { body: 'id,name\n007,"Lovelace, Ada"\n' },
    output: { items: [{ id: '007', name: 'Lovelace, Ada' }] },
  },
  execute: async ({ parameters, context: { services } }) => {
    const { operation, text, file, items, to, name, ...options } = parameters;
    const { files } = services;
    if (operation === 'split') {
      const source = readSource(file ?? null, text);
      const { splitCsv } = await import('./csv.chunk.ts');
      return splitCsv(await files.open(source), source.name, options, files);
    }
    if (operation === 'parse' && file !== undefined) {
      const source = readSource(file, text);
      const { parseCsvFile } = await import('./csv.chunk.ts');
      return { items: await parseCsvFile(await files.open(source), options) };
    }
    if (operation === 'parse') {
      if (text === undefined) throw wrongParameter('text', 'a string', text);
      const { parseCsv } = await import('./csv.chunk.ts');
      return { items: parseCsv(text, options) };
    }
    if (items === undefined) throw wrongParameter('items', 'a list', items);
    const { writeCsv, streamCsv } = await import('./csv.chunk.ts');
    if (to === 'text') return { text: writeCsv(items, options) };
    return { file: await files.save(streamCsv(items, options), { name, mediaType: 'text/csv' }) };
  },
});
