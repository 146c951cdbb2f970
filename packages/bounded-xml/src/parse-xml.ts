import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/** A value of JSON (RFC 8259). */
type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

interface JsonObject {
  readonly [key: string]: JsonValue;
}

const LINE_FEED = 0x0a;
const MAX_DEPTH = 200;
const MAX_SIZE = 250_000;
/** Documents have a vocabulary of some hundreds. A map with hundreds of thousands of keys takes microseconds for each. */
const MAX_NAMES = 10_000;
/** Counted ahead: the tokenizer looks for an entity at each before it reports any text. */
const MAX_AMPERSANDS = 250_000;

/** An element whose end tag is still to come. */
interface OpenElement {
  readonly name: string;
  attributes: Map<string, string> | null;
  children: Map<string, JsonValue[]> | null;
  text: string;
}

/**
 * Parses a document. Stricter than the tokenizer, which takes what browsers take: tags must match, attributes have
 * quotes, an entity has to be one of XML's five, and a document type is refused, so that there is nothing to expand.
 *
 * @param lists - names of elements that are always lists
 * @param subject - what the text is called in errors
 * @returns a map of the root element
 * @throws RangeError with the line, when the text is not well-formed, nested too deep or too large
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
  /** End of the last token. */
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
      throw refuse(`has more than ${MAX_NAMES} names of elements and attributes`, at);
    return name;
  };
  const current = (): OpenElement => open.at(-1) ?? root;
  /** What is left of an entity that the tokenizer does not know is text with its ampersand. */
  const sliceText = (from: number, to: number): string => {
    const slice = text.slice(from, to);
    const at = slice.indexOf('&');
    if (at !== -1) throw refuse('has an "&" that begins no entity', from + at);
    return slice;
  };
  const addText = (added: string, at: number): void => {
    if (open.length === 1 && added.trim() !== '') throw refuse('has text outside of its root element', at);
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
      if (values.has(attribute)) throw refuse('has an attribute twice on one element', at);
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
      throw refuse('has a document type (<!DOCTYPE>), which is refused: send the document without it', from);
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
    throw new RangeError(`${subject} has more than ${MAX_AMPERSANDS} times "&"; send it in parts`);
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

/** White space between children is left out. */
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

/** Of the text up to a place. */
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
