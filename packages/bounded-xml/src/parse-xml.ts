import { SaxesParser } from 'saxes';

/** A JSON value (RFC 8259). */
type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

interface JsonObject {
  readonly [key: string]: JsonValue;
}

const LINE_FEED = 0x0a;
const MAX_DEPTH = 200;
/** Maximum number of elements, attributes and ampersands, which are counted before parsing. */
const MAX_SIZE = 250_000;
/**
 * Real documents use a few hundred names. In a map with hundreds of thousands of keys, each access takes microseconds.
 */
const MAX_NAMES = 10_000;

const NO_ENTITY = 'has an "&" that does not begin an entity';
const OTHER_END = 'has an end tag that does not match its start tag';
const UNQUOTED = 'has an attribute without quotes';
const DOCTYPE = 'has a document type (<!DOCTYPE>), which is not allowed; remove it';

/** What the parser's messages begin with, in our words; the others are shown as they are. */
const PROBLEMS: readonly (readonly [start: string, problem: string])[] = [
  ['unexpected close tag', OTHER_END],
  ['unmatched closing tag', OTHER_END],
  ['weird empty close tag', OTHER_END],
  ['unclosed tag', 'ends within an element'],
  ['unexpected end', 'ends within a tag or a comment'],
  ['document must contain a root', 'has no root element'],
  ['documents may contain only one root', 'has a second root element'],
  ['text data outside of root', 'has text outside its root element'],
  ['unquoted attribute', UNQUOTED],
  ['attribute without value', UNQUOTED],
  ['disallowed character in attribute name', `${UNQUOTED} or with a character that its name can't have`],
  ['duplicate attribute', 'has the same attribute twice on one element'],
  ['inappropriately located doctype', DOCTYPE],
];

/** An element whose end tag has not been read yet. */
interface OpenElement {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  /** Whether text that is only whitespace is kept, as `xml:space="preserve"` asks for the element and those within. */
  readonly preservesSpace: boolean;
  children: Map<string, JsonValue[]> | null;
  text: string;
}

/**
 * Parses a well-formed document of XML 1.0. A document type is refused, so that no entity can expand. Prefixes of
 * namespaces are part of the names.
 *
 * @param lists - names of elements that always become lists
 * @param subject - what error messages call the text
 * @returns an object with the root element as its only key
 * @throws RangeError with the line number when the text is not well-formed, nested too deeply or too large
 */
export const parseXml = (
  text: string,
  lists: ReadonlySet<string>,
  subject = 'Parameter "text"',
): JsonObject => {
  const root: OpenElement = { name: '', attributes: [], preservesSpace: false, children: null, text: '' };
  const open: OpenElement[] = [root];
  const names = new Set<string>();
  let size = countAmpersands(text);
  if (size > MAX_SIZE)
    throw new RangeError(`${subject} has more than ${MAX_SIZE} "&" characters; send it in parts`);
  /** Offset behind the last text or tag: what follows are comments and instructions, then perhaps text. */
  let end = 0;

  // Six listeners: from the eighth on, V8 keeps the parser's fields in a dictionary, and parsing takes four times as long.
  const parser = new SaxesParser({ position: false, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const xmlError = (problem: string, line = parser.line): RangeError =>
    new RangeError(`${subject} ${problem}: line ${line}`);
  const grow = (name: string): void => {
    size += 1;
    if (size > MAX_SIZE)
      throw xmlError(`has more than ${MAX_SIZE} elements, attributes and entities; send it in parts`);
    names.add(name);
    if (names.size > MAX_NAMES)
      throw xmlError(`has more than ${MAX_NAMES} different names of elements and attributes`);
  };
  const current = (): OpenElement => open.at(-1) ?? root;

  parser.on('attribute', ({ name }) => {
    grow(name);
    end = parser.position;
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length > MAX_DEPTH) throw xmlError(`is nested deeper than ${MAX_DEPTH} levels`);
    grow(name);
    const space = attributes['xml:space'];
    const preservesSpace = space === undefined ? current().preservesSpace : space === 'preserve';
    open.push({ name, attributes: Object.entries(attributes), preservesSpace, children: null, text: '' });
    end = parser.position;
  });
  parser.on('text', (added) => {
    current().text += added;
    end = parser.position - 1; // a "<" has been read
  });
  parser.on('cdata', (added) => {
    current().text += added;
    end = parser.position;
  });
  parser.on('closetag', () => {
    const element = open.pop() ?? root;
    const parent = current();
    parent.children ??= new Map();
    const same = parent.children.get(element.name);
    if (same === undefined) parent.children.set(element.name, [toValue(element, lists)]);
    else same.push(toValue(element, lists));
    end = parser.position;
  });
  parser.on('doctype', () => {
    throw xmlError(DOCTYPE);
  });

  // The parser takes half of a surrogate pair and whatever follows it for one character.
  if (!text.isWellFormed())
    throw xmlError('has half of a surrogate pair', countLines(text, text.search(/\p{Cs}/u)));
  try {
    parser.write(text).close();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error;
    const { message } = error;
    const at = findOpenEntity(text, end, parser.position);
    if (at !== -1) throw xmlError(NO_ENTITY, countLines(text, at));
    const [, problem] = PROBLEMS.find(([start]) => message.startsWith(start)) ?? [];
    throw xmlError(problem ?? `is not well-formed (${message.replace(/\.$/, '')})`);
  }
  return toMap(root, lists);
};

const toValue = (element: OpenElement, lists: ReadonlySet<string>): JsonValue =>
  element.attributes.length === 0 && element.children === null ? element.text : toMap(element, lists);

/** Converts an element to a map. Drops whitespace between child elements, unless the document says that it is text. */
const toMap = (element: OpenElement, lists: ReadonlySet<string>): JsonObject => {
  const { attributes, preservesSpace, children, text } = element;
  const entries: [name: string, value: JsonValue][] = attributes.map(([name, value]) => [`@${name}`, value]);
  if (preservesSpace ? text !== '' : /[^ \t\n\r]/.test(text)) entries.push(['#text', text]);
  for (const [name, values] of children ?? []) {
    const [only = null] = values;
    entries.push([name, values.length === 1 && !lists.has(name) ? only : values]);
  }
  return Object.fromEntries(entries);
};

/** How the parts begin and end in which an "&" is text. */
const OPAQUE: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<!', ''],
];

/**
 * Finds the "&" of the entity that the parser is reading: it reads up to the next ";", which may be far away.
 *
 * @param from - offset behind the last text or tag
 * @param to - how far the parser has read
 * @returns -1 if it isn't reading an entity
 */
const findOpenEntity = (text: string, from: number, to: number): number => {
  let start = from;
  for (;;) {
    const [, close] = OPAQUE.find(([open]) => text.startsWith(open, start)) ?? [];
    if (close === undefined) break;
    const end = close === '' ? -1 : text.indexOf(close, start);
    if (end === -1) return -1;
    start = end + close.length;
  }
  const at = text.indexOf('&', Math.max(start, text.lastIndexOf(';', to - 2) + 1));
  return at < to ? at : -1;
};

const countLines = (text: string, end: number): number => {
  let lines = 1;
  for (let at = 0; at < end; at++) if (text.charCodeAt(at) === LINE_FEED) lines += 1;
  return lines;
};

/** Counts them up to the first that is too many. */
const countAmpersands = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf('&'); at !== -1 && count <= MAX_SIZE; at = text.indexOf('&', at + 1)) count += 1;
  return count;
};
