import type { JsonObject } from '@hookloom/plugin-kit';
import { findLink, textOf } from './feed-fields.ts';
import { parseFeedDate } from './parse-feed-date.ts';
import { type FeedElement, readElements, refuse } from './read-elements.ts';
import { toItem } from './to-item.ts';

interface FeedOptions {
  /** Relative links are resolved against it; null leaves them as they are. */
  readonly baseUrl: string | null;
  /** Milliseconds since the epoch; items with an earlier date, or this one, are left out. */
  readonly since: number | null;
  readonly maxItems: number;
}

/** The root elements of feeds, and which format they have. `atom:` may be the prefix of all elements. */
const FORMATS: Readonly<Record<string, 'rss' | 'atom'>> = {
  rss: 'rss',
  'rdf:rdf': 'rss',
  feed: 'atom',
  'atom:feed': 'atom',
};

/**
 * Parses RSS 2.0 and its forerunners, RSS 1.0 (RDF) and Atom (RFC 4287), with the items in the order of the feed.
 *
 * @returns `{ format, title, link, description, language, updated, items, hasMore }`; what a feed has not is null
 * @throws NodeError for what is no feed
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

/** One without a date may be new. */
const isLater = ({ published, updated }: JsonObject, since: number): boolean => {
  const date = published ?? updated;
  return typeof date !== 'string' || Date.parse(date) > since;
};
