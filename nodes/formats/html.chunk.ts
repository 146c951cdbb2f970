import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { type Options, selectAll, selectOne } from 'css-select';
import {
  getAttributeValue,
  getChildren,
  getInnerHTML,
  getName,
  getParent,
  getSiblings,
  hasAttrib,
  prevElementSibling,
  textContent,
} from 'domutils';
import { DomHandler, Parser } from 'htmlparser2';

type Document = DomHandler['root'];
type ChildNode = Document['children'][number];
type Element = Extract<ChildNode, { readonly attribs: unknown }>;

type Adapter = NonNullable<Options<ChildNode, Element>['adapter']>;

/** What to take from the elements that a selector finds. */
interface Extraction {
  readonly selector: string;
  readonly get: 'text' | 'html' | 'attribute';
  readonly attribute: string;
  readonly all: boolean;
}

const MAX_NODES = 250_000;
const MAX_DEPTH = 500;
/** How many elements the selectors may look at, and characters they may take or compare: less than a second's work. */
const MAX_STEPS = 20_000_000;

/**
 * Extracts values from a page, which is parsed like in a browser: nothing in it is an error.
 * @throws RangeError if the page has too many nodes or is nested too deep, a selector is invalid, or the selectors take
 * too many steps
 */
export const extractHtml = (html: string, values: Readonly<Record<string, Extraction>>): JsonObject => {
  const document = parseBounded(html);
  let steps = 0;
  const count = (name: string, added: number): void => {
    steps += added;
    if (steps > MAX_STEPS)
      throw new RangeError(
        `Parameter "values.${name}.selector" takes too many steps on this page; make it simpler`,
      );
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, extraction]) => [
      name,
      extractValue(document, name, extraction, (added) => count(name, added)),
    ]),
  );
};

const extractValue = (
  document: Document,
  name: string,
  extraction: Extraction,
  count: (steps: number) => void,
): JsonValue => {
  const { selector, all } = extraction;
  const options: Options<ChildNode, Element> = { adapter: countingAdapter(count) };
  const readCounted = (element: Element): JsonValue => {
    const value = readElement(element, extraction);
    count(value?.length ?? 0);
    return value;
  };
  try {
    if (all) return selectAll(selector, document.children, options).map(readCounted);
    const found = selectOne(selector, document.children, options);
    return found === null ? null : readCounted(found);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new RangeError(`Parameter "values.${name}.selector" must be a CSS selector of a supported kind`, {
      cause: error,
    });
  }
};

const readElement = (element: Element, { get, attribute }: Extraction): string | null => {
  switch (get) {
    case 'text':
      return textContent(element).trim();
    case 'html':
      return getInnerHTML(element, { encodeEntities: 'utf8' }); // other letters stay readable
    case 'attribute':
      return Object.hasOwn(element.attribs, attribute) ? (element.attribs[attribute] ?? null) : null;
  }
};

/**
 * Counts what a selector looks at, since the work of descendant selectors grows with the depth to the power of their
 * number.
 */
const countingAdapter = (count: (steps: number) => void): Adapter => ({
  isTag: (node): node is Element => 'attribs' in node,
  getAttributeValue,
  getChildren,
  hasAttrib,
  prevElementSibling,
  // The top-level nodes are not inside each other, and checking that would take the square of their number.
  removeSubsets: (nodes) => nodes,
  getText: (node) => {
    const text = textContent(node);
    count(text.length);
    return text;
  },
  getName: (element) => {
    count(1);
    return getName(element);
  },
  getParent: (element) => {
    count(1);
    return getParent(element) as ChildNode | null;
  },
  getSiblings: (node) => {
    const siblings = getSiblings(node);
    count(siblings.length);
    return siblings;
  },
});

const parseBounded = (html: string): Document => {
  const dom = new DomHandler();
  let nodes = 0;
  let depth = 0;
  const addNode = (): void => {
    nodes++;
    if (nodes > MAX_NODES)
      throw new RangeError(`The page has more than ${MAX_NODES} elements, attributes and texts`);
  };
  const parser = new Parser({
    onparserinit: (parser) => dom.onparserinit(parser),
    onopentag: (name, attributes) => {
      addNode();
      depth++;
      if (depth > MAX_DEPTH) throw new RangeError(`The page is nested deeper than ${MAX_DEPTH} levels`);
      dom.onopentag(name, attributes);
    },
    onclosetag: () => {
      depth--;
      dom.onclosetag();
    },
    onattribute: addNode,
    ontext: (text) => {
      addNode();
      dom.ontext(text);
    },
    onend: () => dom.onend(),
  });
  parser.end(html);
  return dom.root;
};
