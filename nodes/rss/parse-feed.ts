import { isUtf8 } from 'node:buffer';
import { type JsonObject, NodeError } from '@hookloom/plugin-kit';
import { Parser } from 'htmlparser2';
import { parseFeedDate } from './parse-feed-date.ts';

interface FeedOptions {
  /** URL against which relative links are resolved, unless `xml:base` says another; null leaves them as they are. */
  readonly baseUrl: string | null;
  /** Date up to which items are left out, in milliseconds since the epoch; null for none. */
  readonly since: number | null;
  readonly maxItems: number;
}

/** The root elements of feeds, and their formats. */
const FORMATS: Readonly<Record<string, 'rss' | 'atom'>> = { rss: 'rss', rdf: 'rss', feed: 'atom' };

/**
 * The namespaces of feeds, without scheme, `www.` and what follows the last letter, since feeds spell them in many ways, and the
 * prefixes by which this file names their elements. Elements of RSS, and those in the namespace of the root, have none.
 */
const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ['w3.org/2005/atom', 'atom'],
  ['purl.org/atom/ns', 'atom'],
  ['purl.org/rss/1.0', ''],
  ['my.netscape.com/rdf/simple/0.9', ''],
  ['channel.netscape.com/rdf/simple/0.9', ''],
  ['my.netscape.com/publish/formats/rss-0.91.dtd', ''],
  ['backend.userland.com/rss', ''],
  ['backend.userland.com/rss2', ''],
  ['blogs.law.harvard.edu/tech/rss', ''],
  ['cyber.law.harvard.edu/rss/rss.html', ''],
  ['w3.org/1999/02/22-rdf-syntax-ns', 'rdf'],
  ['w3.org/xml/1998/namespace', 'xml'],
  ['w3.org/1999/xhtml', 'xhtml'],
  ['purl.org/dc/elements/1.1', 'dc'],
  ['purl.org/dc/elements/1.0', 'dc'],
  ['purl.org/dc/terms', 'dcterms'],
  ['purl.org/rss/1.0/modules/content', 'content'],
  ['itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['search.yahoo.com/mrss', 'media'],
]);
const KNOWN_PREFIXES: ReadonlySet<string> = new Set(NAMESPACES.values());

/**
 * Parses RSS 2.0 and its forerunners, RSS 1.0 (RDF) and Atom (RFC 4287), with the items in the order of the feed.
 * @returns `{ format, title, link, description, language, updated, items, hasMore }`; null for what the feed does not
 * have
 * @throws NodeError if it is not a feed
 */
export const parseFeed = (document: string, { baseUrl, since, maxItems }: FeedOptions): JsonObject => {
  const items: JsonObject[] = [];
  let format: 'rss' | 'atom' = 'rss';
  let hasItems = false;
  let other: string | null = null;
  let hasMore = false;
  const addItem = (element: FeedElement): void => {
    const item = toFeedItem(element);
    if (since !== null && !isLater(item, since)) return;
    if (items.length < maxItems) items.push(item);
    else hasMore = true;
  };
  const root = readElements(document, baseUrl, {
    onRoot: (name, local) => {
      const found = Object.hasOwn(FORMATS, local) ? FORMATS[local] : undefined;
      // RSS 2.0 has no namespace, but some feeds declare one. RDF and Atom have theirs, or forget it.
      const isForeign = name.startsWith('{') && local !== 'rss';
      if (found === undefined || isForeign)
        throw notAFeed(`is neither RSS nor Atom: its root element is ${toTag(name)}`);
      format = found;
    },
    onElement: (element) => {
      if (/[:}](?:item|entry)$/.test(element.name)) other ??= element.name;
      if (element.name !== 'item' && element.name !== 'entry') return true;
      addItem(element);
      hasItems = true;
      return false;
    },
  });
  const channel = root.children.find(({ name }) => name === 'channel');
  if (!hasItems) {
    if (other !== null) throw notAFeed(`has no items: ${toTag(other)} is no item of RSS or Atom`);
    if (format === 'rss' && channel === undefined) throw notAFeed('has neither a channel nor items');
  }
  const head = channel ?? root;
  return {
    format,
    title: titleOf(head),
    link: findLink(head),
    description: childTextOf(head, 'description', 'subtitle', 'tagline', 'dc:description', 'itunes:summary'),
    language: childTextOf(head, 'language', 'dc:language') ?? root.attributes.get('xml:lang') ?? null,
    updated: dateOf(head, 'lastbuilddate', 'updated', 'modified', 'pubdate', 'dc:date', 'dcterms:modified'),
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
/** Maximum length of a base URL: each link of a feed may be resolved against it. */
const MAX_BASE_LENGTH = 2_000;
/** Maximum number of elements and attributes in a feed. */
const MAX_SIZE = 100_000;

/** An element of a feed, with its content. */
interface FeedElement {
  /** The element's name in lower case, with the prefix by which this file knows its namespace, or with the `{namespace}`. */
  readonly name: string;
  /** The attributes, with names in lower case, and prefixes as those of elements. */
  readonly attributes: ReadonlyMap<string, string>;
  /** What relative URLs in it are resolved against (RFC 4287 §2); null if that is unknown. */
  readonly base: string | null;
  readonly children: FeedElement[];
  /** The text of the element and everything inside it, with entities decoded. */
  text: string;
  /** The markup inside the element, as in the document. */
  markup: string;
}

interface Reading {
  /** Called with the name of the first element, with and without its namespace. @throws to read no further */
  readonly onRoot: (name: string, local: string) => void;
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
const readElements = (
  document: string,
  baseUrl: string | null,
  { onRoot, onElement }: Reading,
): FeedElement => {
  const open: {
    readonly element: FeedElement;
    readonly start: number;
    readonly prefixes: ReadonlyMap<string, string>;
  }[] = [];
  const top = createElement('', new Map(), baseUrl);
  let rootPrefix = '';
  let size = 0;
  let isComplete = false;
  const grow = (): void => {
    size += 1;
    if (size > MAX_SIZE) throw notAFeed(`has more than ${MAX_SIZE} elements and attributes`);
  };
  const parser = new Parser(
    {
      onattribute: grow,
      onopentag: (name, attributes) => {
        grow();
        if (open.length === MAX_DEPTH) throw notAFeed(`is nested deeper than ${MAX_DEPTH} levels`);
        const outer = open.at(-1);
        const prefixes = addPrefixes(outer?.prefixes ?? NO_PREFIXES, attributes);
        const [prefix, local] = resolveName(name, prefixes);
        if (outer === undefined) {
          onRoot(joinName(prefix, local), local);
          rootPrefix = prefix;
        }
        const own = new Map(
          Object.entries(attributes).map(([key, value]) => [
            key.includes(':') ? joinName(...resolveName(key, prefixes)) : key,
            value,
          ]),
        );
        const { base } = outer?.element ?? top;
        const element = createElement(
          prefix === rootPrefix ? local : joinName(prefix, local),
          own,
          toBase(own.get('xml:base'), base),
        );
        open.push({ element, start: parser.endIndex + 1, prefixes });
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
  if (root === undefined) throw notAFeed('has no XML element');
  if (!isComplete) throw notAFeed('is truncated: its root element has no end');
  return root;
};

const createElement = (
  name: string,
  attributes: ReadonlyMap<string, string>,
  base: string | null,
): FeedElement => ({ name, attributes, base, children: [], text: '', markup: '' });

const toBase = (own: string | undefined, base: string | null): string | null => {
  if (own === undefined || own.length > MAX_BASE_LENGTH) return base;
  const { href } = URL.parse(own.trim(), base ?? undefined) ?? {};
  return href === undefined || href.length > MAX_BASE_LENGTH ? base : href;
};

/** The prefixes that an element's attributes declare; `''` is the default namespace. */
const NO_PREFIXES: ReadonlyMap<string, string> = new Map([['xml', 'xml']]);

/** @returns by declared prefix, the one by which this file knows its namespace, or the `{namespace}` */
const addPrefixes = (
  outer: ReadonlyMap<string, string>,
  attributes: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> => {
  const declared = Object.entries(attributes).filter(([name]) => /^xmlns(?::|$)/.test(name));
  if (declared.length === 0) return outer;
  // Each element that declares one copies them all.
  if (outer.size + declared.length > MAX_DEPTH) throw notAFeed(`declares more than ${MAX_DEPTH} namespaces`);
  return new Map([
    ...outer,
    ...declared.map(([name, uri]) => [name.slice('xmlns:'.length), toPrefix(uri.trim())] as const),
  ]);
};

const toPrefix = (uri: string): string => {
  if (uri === '') return '';
  const start = uri.slice(0, 100);
  const bare = start
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/[/#]{1,2}$/, '');
  return NAMESPACES.get(bare) ?? `{${start}}`;
};

/** Splits a name into the prefix by which this file knows its namespace and the rest. A well-known prefix may be undeclared. */
const resolveName = (name: string, prefixes: ReadonlyMap<string, string>): readonly [string, string] => {
  const at = name.indexOf(':');
  const [prefix, local] = at === -1 ? ['', name] : [name.slice(0, at), name.slice(at + 1)];
  const known = KNOWN_PREFIXES.has(prefix) ? prefix : `{${prefix}}`;
  return [prefixes.get(prefix) ?? known, local];
};

const joinName = (prefix: string, local: string): string => {
  if (prefix === '') return local;
  return prefix.startsWith('{') ? `${prefix}${local}` : `${prefix}:${local}`;
};

/** A name in a message. */
const toTag = (name: string): string => {
  const [, namespace, local = name] = /^\{([^}]*)\}(.*)$/s.exec(name) ?? [];
  const tag = `<${local.slice(0, 50)}>`;
  return namespace === undefined ? tag : `${tag} of the namespace "${namespace}"`;
};

/** A failure that another attempt would not change. */
const notAFeed = (problem: string): NodeError =>
  new NodeError(`The feed ${problem}`, { name: 'NotAFeed', isRetryable: false });

/** An RSS item or an Atom entry; null for what it does not have. Dates are ISO 8601 in UTC. */
const toFeedItem = (element: FeedElement): JsonObject => {
  const permalink = childrenOf(element, 'guid').find(isPermalink)?.text.trim();
  const link = findLink(element) ?? permalink ?? null;
  const about = element.attributes.get('rdf:about');
  return {
    id: childTextOf(element, 'guid', 'id') ?? about ?? link ?? childTextOf(element, 'dc:identifier'),
    title: titleOf(element),
    link,
    author: findAuthor(element),
    published: dateOf(
      element,
      'pubdate',
      'published',
      'issued',
      'dcterms:issued',
      'dc:date',
      'created',
      'dcterms:created',
    ),
    updated: dateOf(element, 'updated', 'modified', 'atom:updated', 'dcterms:modified'),
    summary: contentOf(
      element,
      'description',
      'summary',
      'dc:description',
      'itunes:summary',
      'media:description',
      'itunes:subtitle',
    ),
    content: contentOf(element, 'content:encoded', 'content', 'xhtml:body'),
    categories: findCategories(element),
    enclosures: findEnclosures(element),
  };
};

/** Whether the guid is a link: as in RSS 2.0, true unless the element says otherwise. */
const isPermalink = ({ text, attributes }: FeedElement): boolean =>
  attributes.get('ispermalink') !== 'false' && URL.canParse(text.trim());

/** The title as plain text. Only Atom and Media RSS say that theirs is HTML. */
const titleOf = (element: FeedElement): string | null => {
  const title = findFirst(element, 'title', 'dc:title', 'itunes:title', 'media:title');
  if (title === null) return null;
  const text = decodeText(title);
  const isHtml = /^(?:html|text\/html)$/i.test(title.attributes.get('type') ?? '');
  if (!isHtml && title.children.length === 0) return text.trim();
  return (isHtml ? toPlainText(text) : text).trim().replaceAll(/\s+/g, ' ');
};

const toPlainText = (html: string): string => {
  let text = '';
  let depth = 0;
  const parser = new Parser({
    ontext: (part) => {
      text += part;
    },
    onopentag: () => {
      depth += 1;
      if (depth > MAX_DEPTH) throw notAFeed(`has a title that is nested deeper than ${MAX_DEPTH} levels`);
    },
    onclosetag: () => {
      depth -= 1;
    },
  });
  parser.end(html);
  return text;
};

/** The text of an element; decoded if it is text in Base64, as Atom has it for media types other than text and XML. */
const decodeText = ({ text, attributes }: FeedElement): string => {
  const type = attributes.get('type') ?? '';
  const isBase64 =
    attributes.get('mode') === 'base64' ||
    (type.includes('/') && !attributes.has('mode') && !/^text\/|[/+]xml$/i.test(type.slice(0, 200)));
  if (!isBase64 || !/^[A-Za-z0-9+/=\s]*$/.test(text)) return text;
  const bytes = Buffer.from(text, 'base64');
  return isUtf8(bytes) ? bytes.toString() : text;
};

/** The author's name; in Atom, an element inside the author. */
const findAuthor = (element: FeedElement): string | null => {
  const [author] = childrenOf(element, 'author', 'atom:author');
  const name = author === undefined ? null : childTextOf(author, 'name', 'atom:name');
  return name ?? childTextOf(element, 'dc:creator', 'author', 'itunes:author');
};

const findCategories = (element: FeedElement): string[] => {
  const named = childrenOf(element, 'category', 'dc:subject', 'media:category', 'itunes:category').map(
    ({ text, attributes }) => attributes.get('term') ?? (text.trim() || (attributes.get('text') ?? '')),
  );
  const keywords = childrenOf(element, 'itunes:keywords', 'media:keywords').flatMap(({ text }) =>
    text.split(','),
  );
  return [...new Set([...named, ...keywords].map((name) => name.trim()))].filter((name) => name !== '');
};

/** The elements that hold a file's URL, the attributes with its URL and size, by their names. */
const FILE_ELEMENTS = {
  enclosure: ['url', 'length'],
  link: ['href', 'length'],
  'atom:link': ['href', 'length'],
  'media:content': ['url', 'filesize'],
} as const;

/** Files that belong to an item, such as an episode of a podcast, each once. */
const findEnclosures = (element: FeedElement): JsonObject[] => {
  const groups = [element, ...childrenOf(element, 'media:group')];
  const files = new Map<string, JsonObject>();
  for (const [name, [urlName, sizeName]] of Object.entries(FILE_ELEMENTS)) {
    for (const { attributes, base } of groups.flatMap((group) => childrenOf(group, name))) {
      const isFile = urlName === 'url' || relationOf(attributes) === 'enclosure';
      const written = attributes.get(urlName)?.trim() ?? '';
      if (!isFile || written === '') continue;
      const url = resolveUrl(written, base);
      const size = attributes.get(sizeName) ?? '';
      if (files.has(url)) continue;
      files.set(url, {
        url,
        mediaType: attributes.get('type') ?? null,
        size: /^\d{1,15}$/.test(size) ? Number(size) : null,
      });
    }
  }
  return [...files.values()];
};

const childrenOf = (element: FeedElement, ...names: readonly string[]): readonly FeedElement[] =>
  element.children.filter(({ name }) => names.includes(name));

/** The first child that has any text, in the order of the names. */
const findFirst = (element: FeedElement, ...names: readonly string[]): FeedElement | null => {
  for (const name of names) {
    const found = childrenOf(element, name).find(({ text }) => text.trim() !== '');
    if (found !== undefined) return found;
  }
  return null;
};

/** The text of the first child that has any, in the order of the names; null if there is none. */
const childTextOf = (element: FeedElement, ...names: readonly string[]): string | null =>
  findFirst(element, ...names)?.text.trim() ?? null;

/** The first child that is a date, in the order of the names; null if there is none. */
const dateOf = (element: FeedElement, ...names: readonly string[]): string | null => {
  for (const name of names) {
    const date = parseFeedDate(childTextOf(element, name) ?? '');
    if (date !== null) return date;
  }
  return null;
};

/** Returns the content of an element, text or HTML. XHTML and other XML is part of the document. */
const contentOf = (element: FeedElement, ...names: readonly string[]): string | null => {
  const child = findFirst(element, ...names);
  if (child === null) return null;
  return (child.children.length > 0 ? child.markup : decodeText(child)).trim();
};

/**
 * The page that a feed or an item is about. In Atom, that is the link with the relation alternate, which is the
 * default.
 */
const findLink = (element: FeedElement): string | null => {
  const alternate = linksOf(element).find(({ attributes }) => relationOf(attributes) === 'alternate');
  const named = findFirst(element, 'link');
  if (named !== null) return resolveUrl(named.text.trim(), named.base);
  return alternate === undefined ? null : resolveUrl(alternate.attributes.get('href') ?? '', alternate.base);
};

/** Atom links, which RSS feeds have as well. */
const linksOf = (element: FeedElement): readonly FeedElement[] =>
  childrenOf(element, 'link', 'atom:link').filter(({ attributes }) => attributes.has('href'));

const relationOf = (attributes: FeedElement['attributes']): string => attributes.get('rel') ?? 'alternate';

/** Makes a URL absolute if possible. */
const resolveUrl = (url: string, baseUrl: string | null): string =>
  baseUrl === null || URL.canParse(url) ? url : (URL.parse(url, baseUrl)?.href ?? url);
