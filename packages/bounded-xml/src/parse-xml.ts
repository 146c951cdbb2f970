import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/** A JSON value (RFC 8259). */
type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

interface JsonObject {
  readonly [key: string]: JsonValue;
}

const LINE_FEED = 0x0a;
const MAX_DEPTH = 200;
const MAX_SIZE = 250_000;
/**
 * Real documents use a few hundred names. In a map with hundreds of thousands of keys, each access takes microseconds.
 */
const MAX_NAMES = 10_000;
/**
 * Maximum number of ampersands, counted before parsing: the tokenizer looks for an entity at each "&" before it reports
 * any text.
 */
const MAX_AMPERSANDS = 250_000;

/** An element whose end tag has not been read yet. */
interface OpenElement {
  readonly name: string;
  attributes: Map<string, string> | null;
  children: Map<string, JsonValue[]> | null;
  text: string;
}

/**
 * Parses a document. It is stricter than the tokenizer, which accepts what browsers accept: tags must match, attributes
 * must be quoted, only the five entities of XML are allowed, and a document type is refused, so that no entity can
 * expand.
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
  const root: OpenElement = createElement('');
  const open: OpenElement[] = [root];
  let elements = 0;
  let attributes = 0;
  let entities = 0;
  const names = new Set<string>();
  let attribute = '';
  let value = '';
  /** Offset at which the last token ends. */
  let end = 0;

  const refuse = (problem: string, at: number): RangeError =>
    new RangeError(`${subject} ${problem}: line ${countLines(text, at)}`);
  const limitSize = (at: number): void => {
    if (elements + attributes + entities > MAX_SIZE)
      throw refuse(`has more than ${MAX_SIZE} elements, attributes and entities; send it in parts`, at);
  };
  const addName = (name: string, at: number): string => {
    names.add(name);
    if (names.size > MAX_NAMES)
      throw refuse(`has more than ${MAX_NAMES} different names of elements and attributes`, at);
    return name;
  };
  const current = (): OpenElement => open.at(-1) ?? root;
  /** The tokenizer passes an unknown entity through as text, so a remaining "&" is an error. */
  const sliceText = (from: number, to: number): string => {
    const slice = text.slice(from, to);
    const at = slice.indexOf('&');
    if (at !== -1) throw refuse('has an "&" that does not begin an entity', from + at);
    return slice;
  };
  const addText = (added: string, at: number): void => {
    if (open.length === 1 && added.trim() !== '') throw refuse('has text outside its root element', at);
    current().text += added;
    end = at;
  };
  const close = (at: number): void => {
    const element = open.pop() ?? root;
    const parent = current();
    parent.children ??= new Map();
    const same = parent.children.get(element.name);
    if (same === undefined) parent.children.set(element.name, [toValue(element, lists)]);
    else same.push(toValue(element, lists));
    end = at;
  };

  const callbacks: TokenizerCallbacks = {
    ontext: (from, to) => addText(sliceText(from, to), to),
    ontextentity: (codepoint, to) => {
      entities++;
      limitSize(to);
      addText(String.fromCodePoint(codepoint), to);
    },
    oncdata: (from, to, offset) => addText(text.slice(from, to - offset), to),
    onopentagname: (from, to) => {
      elements++;
      if (open.length > MAX_DEPTH) throw refuse(`is nested deeper than ${MAX_DEPTH} levels`, from);
      limitSize(from);
      if (open.length === 1 && elements > 1) throw refuse('has a second root element', from);
      open.push(createElement(addName(text.slice(from, to), from)));
    },
    onattribname: (from, to) => {
      attributes++;
      limitSize(from);
      attribute = addName(text.slice(from, to), from);
      value = '';
    },
    onattribdata: (from, to) => {
      value += sliceText(from, to);
    },
    onattribentity: (codepoint) => {
      entities++;
      limitSize(end);
      value += String.fromCodePoint(codepoint);
    },
    onattribend: (quote, at) => {
      if (quote < 2) throw refuse(`has an attribute without quotes`, at);
      const element = current();
      element.attributes ??= new Map();
      const values = element.attributes;
      if (values.has(attribute)) throw refuse('has the same attribute twice on one element', at);
      values.set(attribute, value);
    },
    onopentagend: (at) => {
      end = at;
    },
    onselfclosingtag: close,
    onclosetag: (from, to) => {
      if (open.length === 1 || text.slice(from, to).trim() !== current().name)
        throw refuse('has an end tag that does not match its start tag', from);
      close(to);
    },
    ondeclaration: (from) => {
      throw refuse('has a document type (<!DOCTYPE>), which is not allowed; remove it', from);
    },
    onprocessinginstruction: (_from, to) => {
      end = to;
    },
    oncomment: (_from, to) => {
      end = to;
    },
    onend: () => {
      if (open.length > 1) throw refuse('ends within an element', text.length);
      if (elements === 0) throw refuse('has no root element', text.length);
      if (text.lastIndexOf('<') > end) throw refuse('ends within a tag', text.length);
    },
  };
  if (hasMoreThan(MAX_AMPERSANDS, '&', text))
    throw new RangeError(`${subject} has more than ${MAX_AMPERSANDS} "&" characters; send it in parts`);
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, callbacks);
  tokenizer.write(text);
  tokenizer.end();
  return toMap(root, lists);
};

const createElement = (name: string): OpenElement => ({
  name,
  attributes: null,
  children: null,
  text: '',
});

const toValue = (element: OpenElement, lists: ReadonlySet<string>): JsonValue => {
  const { attributes, children, text } = element;
  if (attributes === null && children === null) return text;
  return toMap(element, lists);
};

/** Converts an element to a map. Drops whitespace between child elements. */
const toMap = ({ attributes, children, text }: OpenElement, lists: ReadonlySet<string>): JsonObject => {
  const entries: [name: string, value: JsonValue][] = [];
  for (const [name, value] of attributes ?? []) entries.push([`@${name}`, value]);
  if (text.trim() !== '') entries.push(['#text', text]);
  for (const [name, values] of children ?? []) {
    const [only = null] = values;
    entries.push([name, values.length === 1 && !lists.has(name) ? only : values]);
  }
  return Object.fromEntries(entries);
};

const countLines = (text: string, end: number): number => {
  let lines = 1;
  for (let at = 0; at < end; at++) if (text.charCodeAt(at) === LINE_FEED) lines += 1;
  return lines;
};

const hasMoreThan = (max: number, character: string, text: string): boolean => {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count <= max; at = text.indexOf(character, at + 1))
    count += 1;
  return count > max;
};
