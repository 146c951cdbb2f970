import { NodeError } from '@hookloom/plugin-kit';
import { Parser } from 'htmlparser2';

const MAX_DEPTH = 100;
/** Elements and attributes. */
const MAX_SIZE = 100_000;

/** An element of a feed, with what is in it. */
export interface FeedElement {
  /** In lower case, with its prefix. */
  readonly name: string;
  /** Names in lower case. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: FeedElement[];
  /** Of the element and of all within, entities decoded. */
  text: string;
  /** The markup within the element, as in the document. */
  markup: string;
}

interface Reading {
  /** Called with the name of the first element. @throws to read no further */
  readonly onRoot: (name: string) => void;
  /** Called at the end of an element, before it is added to its parent; false leaves it out. */
  readonly onElement: (element: FeedElement) => boolean;
}

/**
 * Reads the elements of an XML document, as tolerant as readers of feeds have to be: tags may be unbalanced within an
 * item, but a document that is cut off is an error. Nothing is expanded but the five entities of XML and numeric ones:
 * those that a document type defines stay as they are.
 *
 * @returns the root element
 * @throws NodeError for a document that is no XML, cut off, nested too deep or too large
 */
export const readElements = (document: string, { onRoot, onElement }: Reading): FeedElement => {
  const open: { readonly element: FeedElement; readonly start: number }[] = [];
  const top = createElement('', new Map());
  let size = 0;
  let isComplete = false;
  const grow = (): void => {
    size += 1;
    if (size > MAX_SIZE) throw refuse(`has more than ${MAX_SIZE} elements and attributes`);
  };
  const parser = new Parser(
    {
      onattribute: grow,
      onopentag: (name, attributes) => {
        grow();
        if (open.length === MAX_DEPTH) throw refuse(`is nested deeper than ${MAX_DEPTH} levels`);
        if (open.length === 0) onRoot(name);
        const element = createElement(name, new Map(Object.entries(attributes)));
        open.push({ element, start: parser.endIndex + 1 });
      },
      ontext: (text) => {
        const current = open.at(-1);
        if (current !== undefined) current.element.text += text;
      },
      onclosetag: (_name, isImplied) => {
        const closed = open.pop();
        if (closed === undefined) return;
        const { element, start } = closed;
        element.markup = document.slice(start, Math.max(start, parser.startIndex));
        const parent = open.at(-1)?.element ?? top;
        if (parent === top) isComplete = !isImplied;
        if (!onElement(element)) return;
        parent.children.push(element);
        parent.text += element.text;
      },
    },
    { xmlMode: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(document);
  const [root] = top.children;
  if (root === undefined) throw refuse('has no XML element');
  if (!isComplete) throw refuse('is cut off: its root element has no end');
  return root;
};

const createElement = (name: string, attributes: ReadonlyMap<string, string>): FeedElement => ({
  name,
  attributes,
  children: [],
  text: '',
  markup: '',
});

/** The failure of a document that is read again with the same result. */
export const refuse = (problem: string): NodeError =>
  new NodeError(`The feed ${problem}`, { name: 'NotAFeed', isRetryable: false });
