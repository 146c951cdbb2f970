import type { FeedElement } from './read-elements.ts';

/** The children of a name. */
export const childrenOf = (element: FeedElement, ...names: readonly string[]): readonly FeedElement[] =>
  element.children.filter(({ name }) => names.includes(name));

/** The text of the first child that has one, by the order of the names; null for none. */
export const textOf = (element: FeedElement, ...names: readonly string[]): string | null => {
  for (const name of names) {
    for (const child of childrenOf(element, name)) {
      const text = child.text.trim();
      if (text !== '') return text;
    }
  }
  return null;
};

/** Text, or HTML: of Atom's type xhtml, the markup is a part of the document. */
export const contentOf = (element: FeedElement, ...names: readonly string[]): string | null => {
  const child = names.flatMap((name) => childrenOf(element, name)).find(({ text }) => text.trim() !== '');
  if (child === undefined) return null;
  return (child.attributes.get('type') === 'xhtml' ? child.markup : child.text).trim();
};

/** The page that a feed or an item is about: of Atom the link with the relation alternate, which is the usual one. */
export const findLink = (element: FeedElement, baseUrl: string | null): string | null => {
  const alternate = linksOf(element).find(({ attributes }) => relationOf(attributes) === 'alternate');
  const link = textOf(element, 'link') ?? alternate?.attributes.get('href');
  return link === undefined ? null : resolveUrl(link, baseUrl);
};

/** Those of Atom, which RSS feeds have as well. */
export const linksOf = (element: FeedElement): readonly FeedElement[] =>
  childrenOf(element, 'link', 'atom:link').filter(({ attributes }) => attributes.has('href'));

export const relationOf = (attributes: FeedElement['attributes']): string =>
  attributes.get('rel') ?? 'alternate';

/** Absolute where it can be. */
export const resolveUrl = (url: string, baseUrl: string | null): string =>
  baseUrl === null || URL.canParse(url) ? url : (URL.parse(url, baseUrl)?.href ?? url);
