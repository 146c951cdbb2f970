import { defineAction, eachOf, Type, when, wrongParameter } from '@hookloom/plugin-kit';
import { pureWithoutFile, readSource, readTextFile } from './source-file.ts';

const MAX_LENGTH = 10_000_000;

export const xml = defineAction({
  id: 'xml',
  name: 'XML',
  description:
    'Reads and writes XML 1.0. An element becomes a map: its attributes as "@name", its text as "#text", its children by name, a list when there are several; one with text alone becomes that text. No document types, no entities but the five of XML: any other fails',
  pure: pureWithoutFile,
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write'], {
        default: 'parse',
        description: 'parse: text or file to { data }; write: data to { text }',
      }),
      text: Type.Optional(Type.String({ maxLength: MAX_LENGTH, description: 'The text to parse' })),
      file: Type.Optional(
        Type.Unknown({
          description: 'A file to parse in place of a text: in UTF-8, of at most 10,000,000 bytes',
        }),
      ),
      lists: Type.Array(Type.String(), {
        default: [],
        description: 'Names of elements that are always a list, also when there is one alone',
      }),
      data: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'The document to write: a map of its root element',
        }),
      ),
    },
    {
      allOf: [
        when('operation', 'parse', { anyOf: eachOf('text', 'file') }, true),
        when('operation', 'write', { required: ['data'] }),
      ],
    },
  ),
  example: {
    parameters: { text: '{{ body }}', lists: ['line'] },
    input: { body: '<order id="7"><line>tea</line><note>A &amp; B</note></order>' },
    output: { data: { order: { '@id': '7', line: ['tea'], note: 'A & B' } } },
  },
  execute: async ({ parameters: { operation, text, file, lists, data }, context: { services } }) => {
    if (operation === 'parse') {
      const source =
        file === undefined ? text : await readTextFile(readSource(file, text), services.files, MAX_LENGTH);
      if (source === undefined) throw wrongParameter('text', 'a string', source);
      const { parseXml } = await import('@hookloom/bounded-xml');
      return {
        data: parseXml(source, new Set(lists), `Parameter "${file === undefined ? 'text' : 'file'}"`),
      };
    }
    if (data === undefined) throw wrongParameter('data', 'a map', data);
    const { writeXml } = await import('./work/write-xml.chunk.ts');
    return { text: writeXml(data) };
  },
});
