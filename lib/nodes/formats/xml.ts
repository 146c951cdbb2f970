import { defineAction } from '../../contract/kit/define-node-type.ts';
import { wrongParameter } from '../../contract/kit/read-parameters.ts';
import { Type } from '../../contract/kit/type.ts';

export const xml = defineAction({
  id: 'xml',
  name: 'XML',
  description:
    'Reads and writes XML 1.0. An element becomes a map: its attributes as "@name", its text as "#text", its children by name, a list when there are several; one with text alone becomes that text. No document types, no entities but the five of XML',
  pure: true,
  parameters: Type.Object({
    operation: Type.Enum(['parse', 'write'], {
      default: 'parse',
      description: 'parse: text to { data }; write: data to { text }',
    }),
    text: Type.Optional(Type.String({ maxLength: 10_000_000, description: 'The text to parse' })),
    lists: Type.Array(Type.String(), {
      default: [],
      description: 'Names of elements that are always a list, also when there is one alone',
    }),
    data: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The document to write: a map of its root element',
      }),
    ),
  }),
  example: {
    parameters: { text: '{{ body }}', lists: ['line'] },
    input: { body: '<order id="7"><line>tea</line><note>A &amp; B</note></order>' },
    output: { data: { order: { '@id': '7', line: ['tea'], note: 'A & B' } } },
  },
  execute: async ({ parameters: { operation, text, lists, data } }) => {
    if (operation === 'parse') {
      if (text === undefined) throw wrongParameter('text', 'a string', text);
      const { parseXml } = await import('./work/parse-xml.chunk.ts');
      return { data: parseXml(text, new Set(lists)) };
    }
    if (data === undefined) throw wrongParameter('data', 'a map', data);
    const { writeXml } = await import('./work/write-xml.chunk.ts');
    return { text: writeXml(data) };
  },
});
