import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { JsonObject, JsonValue } from '../../../contract/json.ts';

const MAX_DEPTH = 200;
const MAX_SIZE = 250_000;

/** An element whose end tag is still to come. */
interface OpenElement {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: Map<string, JsonValue[]>;
  text: string;
}

/**
 * Parses a document. Stricter than the tokenizer, which takes what browsers take: tags must match, attributes have
 * quotes, and a document type is refused, so that there is nothing to expand.
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
  let attribute = '';
  let value = '';
  /** End of the last token. */
  let end = 0;

  const refuse = (problem: string, at: number): RangeError =>
    new RangeError(`${subject} ${problem}: line ${text.slice(0, at).split('\n').length}`);
  const limitSize = (at: number): void => {
    if (elements + attributes + entities > MAX_SIZE)
      throw refuse(`has more than ${MAX_SIZE} elements, attributes and entities; send it in parts`, at);
  };
  const current = (): OpenElement => open.at(-1) ?? root;
  const addText = (added: string, at: number): void => {
    if (open.length === 1 && added.trim() !== '') throw refuse('has text outside of its root element', at);
    current().text += added;
    end = at;
  };
  const close = (at: number): void => {
    const element = open.pop() ?? root;
    const { children } = current();
    const same = children.get(element.name) ?? [];
    same.push(toValue(element, lists));
    children.set(element.name, same);
    end = at;
  };

  const callbacks: TokenizerCallbacks = {
    ontext: (from, to) => addText(text.slice(from, to), to),
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
      open.push(createElement(text.slice(from, to)));
    },
    onattribname: (from, to) => {
      attributes++;
      limitSize(from);
      attribute = text.slice(from, to);
      value = '';
    },
    onattribdata: (from, to) => {
      value += text.slice(from, to);
    },
    onattribentity: (codepoint) => {
      entities++;
      limitSize(end);
      value += String.fromCodePoint(codepoint);
    },
    onattribend: (quote, at) => {
      if (quote < 2) throw refuse(`has an attribute without quotes`, at);
      const { attributes: values } = current();
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
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, callbacks);
  tokenizer.write(text);
  tokenizer.end();
  return toMap(root, lists);
};

const createElement = (name: string): OpenElement => ({
  name,
  attributes: new Map(),
  children: new Map(),
  text: '',
});

const toValue = (element: OpenElement, lists: ReadonlySet<string>): JsonValue => {
  const { attributes, children, text } = element;
  if (attributes.size === 0 && children.size === 0) return text;
  return toMap(element, lists);
};

/** White space between children is left out. */
const toMap = ({ attributes, children, text }: OpenElement, lists: ReadonlySet<string>): JsonObject =>
  Object.fromEntries([
    ...[...attributes].map(([name, value]) => [`@${name}`, value] as const),
    ...(text.trim() === '' ? [] : [['#text', text] as const]),
    ...[...children].map(([name, values]) => {
      const [only = null] = values;
      return [name, values.length === 1 && !lists.has(name) ? only : values] as const;
    }),
  ]);
