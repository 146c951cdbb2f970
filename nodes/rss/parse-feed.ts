import { type JsonObject, NodeError } from '@hookloom/plugin-kit';
import { Parser } from 'htmlparser2';
import { parseFeedDate } from './parse-feed-date.ts';

interface FeedOptions {
  /** URL against which relative links are resolved; null leaves them as they are. */
  readonly baseUrl: string | null;
  /** Date up to which items are left out, in milliseconds since the epoch; null for none. */
  readonly since: number | null;
  readonly maxItems: number;
}

/** The root elements of feeds, and their formats. All elements may have the prefix `atom:`. */
const FORMATS: Readonly<Record<string, 'rss' | 'atom'>> = {
  rss: 'rss',
  'rdf:rdf': 'rss',
  feed: 'atom',
  'atom:feed': 'atom',
};

/**
 * Parses RSS 2.0 and its forerunners, RSS 1.0 (RDF) and Atom (RFC 4287), with the items in the order of the feed.
 * @returns `{ format, title, link, description, language, updated, items, hasMore }`; null for what the feed does not
 * have
 * @throws NodeError if it is not a feed
 */
export const parseFeed = (document: string, { baseUrl, since, maxItems }: FeedOptions): JsonObject => {
  const items: JsonObject[] = [];
  let format: 'rss' | 'atom' = 'rss';
  let hasMore = false;
  const addItem = (element: FeedElement): void => {
    const item = toItem(element, baseUrl);
    if (since !== null && !isLater(item, since)) return;
    if (items.length < maxItems) items.push(item);
    else hasMore = true;
  };
  const root = readElements(document, {
    onRoot: (name) => {
      const found = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
      if (found === undefined)
        throw refuse(`is neither RSS nor Atom: its root element is <${name.slice(0, 50)}>`);
      format = found;
    },
    onElement: (element) => {
      if (element.name !== 'item' && element.name !== 'entry') return true;
      addItem(element);
      return false;
    },
  });
  const head = root.children.find(({ name }) => name === 'channel') ?? root;
  return {
    format,
    title: textOf(head, 'title'),
    link: findLink(head, baseUrl),
    description: textOf(head, 'description', 'subtitle'),
    language: textOf(head, 'language', 'dc:language') ?? root.attributes.get('xml:lang') ?? null,
    updated: parseFeedDate(textOf(head, 'lastbuilddate', 'updated', 'pubdate', 'dc:date') ?? ''),
    items,
    hasMore,
  };
};

/** Whether an item is later than `since`; one without a date may be new, so it is kept. */
const isLater = ({ published, updated }: JsonObject, since: number): boolean => {
  const date = published ?? updated;
  return typeof date !== 'string' || Date.parse(date) > since;
};

const MAX_DEPTH = 100;
/** Maximum number of elements and attributes in a feed. */
const MAX_SIZE = 100_000;

/** An element of a feed, with its content. */
interface FeedElement {
  /** The element's name in lower case, with its prefix. */
  readonly name: string;
  /** The attributes, with names in lower case. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: FeedElement[];
  /** The text of the element and everything inside it, with entities decoded. */
  text: string;
  /** The markup inside the element, as in the document. */
  markup: string;
}

interface Reading {
  /** Called with the name of the first element. @throws to read no further */
  readonly onRoot: (name: string) => void;
  /** Called at the end of an element, before it is added to its parent; false leaves it out. */
  readonly onElement: (element: FeedElement) => boolean;
}

/**
 * Reads the elements of an XML document, as tolerantly as feed readers have to: tags may be unbalanced inside an item,
 * but a truncated document is an error. Only the five entities of XML and numeric ones are expanded; those that a
 * document type defines remain unchanged.
 * @returns the root element
 * @throws NodeError if the document is not XML, truncated, nested too deep or too large
 */
const readElements = (document: string, { onRoot, onElement }: Reading): FeedElement => {
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
  if (!isComplete) throw refuse('is truncated: its root element has no end');
  return root;
};

const createElement = (name: string, attributes: ReadonlyMap<string, string>): FeedElement => ({
  name,
  attributes,
  children: [],
  text: '',
  markup: '',
});

/** A failure that another attempt would not change. */
const refuse = (problem: string): NodeError =>
  new NodeError(`The feed ${problem}`, { name: 'NotAFeed', isRetryable: false });

/** An RSS item or an Atom entry; null for what it does not have. Dates are ISO 8601 in UTC. */
const toItem = (element: FeedElement, baseUrl: string | null): JsonObject => {
  const permalink = childrenOf(element, 'guid').find(isPermalink)?.text.trim();
  const link = findLink(element, baseUrl) ?? permalink ?? null;
  return {
    id: textOf(element, 'guid', 'id') ?? element.attributes.get('rdf:about') ?? link,
    title: textOf(element, 'title'),
    link,
    author: findAuthor(element),
    published: parseFeedDate(textOf(element, 'pubdate', 'published', 'dc:date') ?? ''),
    updated: parseFeedDate(textOf(element, 'updated', 'atom:updated', 'dcterms:modified') ?? ''),
    summary: contentOf(element, 'description', 'summary'),
    content: contentOf(element, 'content:encoded', 'content'),
    categories: childrenOf(element, 'category', 'dc:subject')
      .map(({ text, attributes }) => attributes.get('term') ?? text.trim())
      .filter((category) => category !== ''),
    enclosures: findEnclosures(element, baseUrl),
  };
};

/** Whether the guid is a link: as in RSS 2.0, true unless the element says otherwise. */
const isPermalink = ({ text, attributes }: FeedElement): boolean =>
  attributes.get('ispermalink') !== 'false' && URL.canParse(text.trim());

/** The author's name; in Atom, an element inside the author. */
const findAuthor = (element: FeedElement): string | null => {
  const [author] = childrenOf(element, 'author');
  const name = author === undefined ? null : textOf(author, 'name');
  return name ?? textOf(element, 'dc:creator', 'author');
};

/** Files that belong to an item, such as an episode of a podcast. */
const findEnclosures = (element: FeedElement, baseUrl: string | null): JsonObject[] => {
  const ofRss = childrenOf(element, 'enclosure').map(({ attributes }) => ['url', attributes] as const);
  const ofAtom = linksOf(element)
    .filter(({ attributes }) => relationOf(attributes) === 'enclosure')
    .map(({ attributes }) => ['href', attributes] as const);
  return [...ofRss, ...ofAtom].flatMap(([name, attributes]) => {
    const url = attributes.get(name)?.trim() ?? '';
    if (url === '') return [];
    const size = attributes.get('length') ?? '';
    return [
      {
        url: resolveUrl(url, baseUrl),
        mediaType: attributes.get('type') ?? null,
        size: /^\d{1,15}$/.test(size) ? Number(size) : null,
      },
    ];
  });
};

const childrenOf = (element: FeedElement, ...names: readonly string[]): readonly FeedElement[] =>
  element.children.filter(({ name }) => names.includes(name));

/** The text of the first child that has any, in the order of the names; null if there is none. */
const textOf = (element: FeedElement, ...names: readonly string[]): string | null => {
  for (const name of names) {
    for (const child of childrenOf(element, name)) {
      const text = child.text.trim();
      if (text !== '') return text;
    }
  }
  return null;
};

/** Returns the content of an element, text or HTML. With Atom's type xhtml, the markup is part of the document. */
const contentOf = (element: FeedElement, ...names: readonly string[]): string | null => {
  const child = names.flatMap((name) => childrenOf(element, name)).find(({ text }) => text.trim() !== '');
  if (child === undefined) return null;
  return (child.attributes.get('type') === 'xhtml' ? child.markup : child.text).trim();
};

/**
 * The page that a feed or an item is about. In Atom, that is the link with the relation alternate, which is the
 * default.
 */
const findLink = (element: FeedElement, baseUrl: string | null): string | null => {
  const alternate = linksOf(element).find(({ attributes }) => relationOf(attributes) === 'alternate');
  const link = textOf(element, 'link') ?? alternate?.attributes.get('href');
  return link === undefined ? null : resolveUrl(link, baseUrl);
};

/** Atom links, which RSS feeds have as well. */
const linksOf = (element: FeedElement): readonly FeedElement[] =>
  childrenOf(element, 'link', 'atom:link').filter(({ attributes }) => attributes.has('href'));

const relationOf = (attributes: FeedElement['attributes']): string => attributes.get('rel') ?? 'alternate';

/** Makes a URL absolute if possible. */
const resolveUrl = (url: string, baseUrl: string | null): string =>
  baseUrl === null || URL.canParse(url) ? url : (URL.parse(url, baseUrl)?.href ?? url);
