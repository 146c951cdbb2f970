import { defineAction } from '../../contract/kit/define-node-type.ts';
import { wrongParameter } from '../../contract/kit/read-parameters.ts';
import { Type } from '../../contract/kit/type.ts';

export const csv = defineAction({
  id: 'csv',
  name: 'CSV',
  description:
    'Reads and writes comma-separated values (RFC 4180). Reading gives text alone: 007 stays "007"; at most 100,000 rows, 1,000 columns and 1,000,000 values',
  pure: true,
  parameters: Type.Object({
    operation: Type.Enum(['parse', 'write'], {
      default: 'parse',
      description: 'parse: text to { items }; write: items to { text }',
    }),
    text: Type.Optional(Type.String({ maxLength: 20_000_000, description: 'The text to parse' })),
    items: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: 100_000,
        description:
          'The rows to write: maps, or lists without a header. Lists and maps in them are written as JSON',
      }),
    ),
    header: Type.Boolean({
      default: true,
      description:
        'The first row has the names of the columns, and items are maps; otherwise items are lists',
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
        'Write an apostrophe before text that begins with = + - @, which spreadsheet programs would compute',
    }),
  }),
  example: {
    parameters: { text: '{{ body }}' },
    input: { body: 'id,name\n007,"Lovelace, Ada"\n' },
    output: { items: [{ id: '007', name: 'Lovelace, Ada' }] },
  },
  execute: async ({ parameters: { operation, text, items, ...options } }) => {
    if (operation === 'parse') {
      if (text === undefined) throw wrongParameter('text', 'a string', text);
      const { parseCsv } = await import('./work/parse-csv.chunk.ts');
      return { items: parseCsv(text, options) };
    }
    if (items === undefined) throw wrongParameter('items', 'a list', items);
    const { writeCsv } = await import('./work/write-csv.chunk.ts');
    return { text: writeCsv(items, options) };
  },
});
