import {
  closed,
  defineAction,
  eachOf,
  isJsonMap,
  type JsonObject,
  type JsonValue,
  pureWithoutFile,
  readSource,
  readTextFile,
  Type,
  when,
  wrongParameter,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

const MAX_LENGTH = 10_000_000;

export const xml = defineAction({
  id: 'xml',
  name: 'XML',
  description:
    'Reads and writes XML 1.0. An element becomes a map: its attributes as "@name", its text as "#text", its children by name, as a list if there are several. An element with only text becomes that text. Document types, and entities other than the five of XML, are refused',
  pure: pureWithoutFile,
  outputs: {
    main: Given.by(
      'operation',
      { parse: closed({ data: Type.Object({}) }), write: closed({ text: Type.String() }) },
      'parse',
    ),
  },
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write'], {
        default: 'parse',
        description: 'parse: text or file to { data }; write: data to { text }',
      }),
      text: Type.Optional(Type.String({ maxLength: MAX_LENGTH, description: 'The text to parse' })),
      file: Type.Optional(
        Type.Unknown({
          description: 'A file to parse instead of text: UTF-8, at most 10,000,000 bytes',
        }),
      ),
      lists: Type.Array(Type.String(), {
        default: [],
        description: 'Names of elements that always become a list, even if there is only one',
      }),
      data: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'The document to write: a map with its root element',
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
    return { text: writeXml(data) };
  },
});

/** Names of XML 1.0 without the rarest letters: https://www.w3.org/TR/xml/#NT-Name */
const NAME = /^[\p{L}_:][\p{L}\p{N}_:.-]*$/u;

/** Characters that XML 1.0 can't contain: https://www.w3.org/TR/xml/#charsets */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Cs}/u;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Writes a document with one root element, in the form that `parseXml` returns.
 * @throws TypeError or RangeError with the place of a name or a character that XML does not allow, of a second root, or
 * of an attribute that is a map or a list
 */
const writeXml = (data: JsonObject): string => {
  const [root, ...others] = Object.entries(data);
  if (root === undefined || others.length > 0 || Array.isArray(root[1]))
    throw new RangeError('Parameter "data" must have one key, the name of the root element');
  const [name, content] = root;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(name, content, `data.${name}`)}`;
};

const writeElement = (name: string, content: JsonValue, place: string): string => {
  if (!NAME.test(name)) throw new RangeError(`Parameter "${place}" must have a name that XML allows`);
  if (Array.isArray(content))
    return content.map((item, index) => writeElement(name, item, `${place}[${index}]`)).join('');
  if (!isJsonMap(content)) return wrapElement(name, '', writeText(content, place));
  let attributes = '';
  let children = '';
  for (const [key, value] of Object.entries(content)) {
    const at = `${place}.${key}`;
    if (key === '#text') children += writeText(value, at);
    else if (key.startsWith('@')) attributes += writeAttribute(key.slice(1), value, at);
    else children += writeElement(key, value, at);
  }
  return wrapElement(name, attributes, children);
};

const wrapElement = (name: string, attributes: string, children: string): string =>
  children === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${children}</${name}>`;

const writeAttribute = (name: string, value: JsonValue, place: string): string => {
  if (!NAME.test(name)) throw new RangeError(`Parameter "${place}" must have a name that XML allows`);
  return ` ${name}="${writeText(value, place)}"`;
};

const writeText = (value: JsonValue, place: string): string => {
  if (typeof value === 'object' && value !== null)
    throw wrongParameter(place, 'text, a number or a boolean', value);
  const text = value === null ? '' : String(value);
  if (FORBIDDEN.test(text)) throw new RangeError(`Parameter "${place}" has a character that XML can't carry`);
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);
};
