import type { JsonObject } from '@hookloom/plugin-kit';
import { childrenOf, contentOf, findLink, linksOf, relationOf, resolveUrl, textOf } from './feed-fields.ts';
import { parseFeedDate } from './parse-feed-date.ts';
import type { FeedElement } from './read-elements.ts';

/** An item of RSS or an entry of Atom; what it has not is null. Dates are ISO 8601 in UTC. */
export const toItem = (element: FeedElement, baseUrl: string | null): JsonObject => {
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

/** As RSS 2.0 has it: unless it says otherwise. */
const isPermalink = ({ text, attributes }: FeedElement): boolean =>
  attributes.get('ispermalink') !== 'false' && URL.canParse(text.trim());

/** Of Atom the name within the author. */
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
