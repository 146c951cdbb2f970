import { isJsonMap, type JsonObject, type JsonValue, wrongParameter } from '@hookloom/plugin-kit';

/** Names of XML 1.0 without the rarest letters: https://www.w3.org/TR/xml/#NT-Name */
const NAME = /^[\p{L}_:][\p{L}\p{N}_:.-]*$/u;

/** What XML 1.0 has no way to write: https://www.w3.org/TR/xml/#charsets */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Cs}/u;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Writes a document of one root element, in the form that `parseXml` reads.
 *
 * @throws TypeError or RangeError with the place, for a name or a character that XML does not have, several roots, and an
 * attribute that is a map or a list
 */
export const writeXml = (data: JsonObject): string => {
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
  if (!isJsonMap(content)) return wrap(name, '', writeText(content, place));
  let attributes = '';
  let children = '';
  for (const [key, value] of Object.entries(content)) {
    const at = `${place}.${key}`;
    if (key === '#text') children += writeText(value, at);
    else if (key.startsWith('@')) attributes += writeAttribute(key.slice(1), value, at);
    else children += writeElement(key, value, at);
  }
  return wrap(name, attributes, children);
};

const wrap = (name: string, attributes: string, children: string): string =>
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
