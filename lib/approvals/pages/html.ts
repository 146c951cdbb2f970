import { escapeHtml } from '@hookloom/safe-markdown';

const markup = Symbol('markup');

/** HTML made by {@link html}. Data can't be mistaken for it, since JSON has no symbols. */
export interface Html {
  readonly [markup]: string;
}

export type Content = Html | string | number | false | null | undefined | readonly Content[];

/**
 * Makes HTML from a template. Everything inserted is escaped, except other HTML; false and null insert nothing.
 * Attribute values must be in quotes.
 */
export const html = (texts: TemplateStringsArray, ...contents: readonly Content[]): Html => ({
  [markup]: texts
    .map((text, index) => text + (index < contents.length ? toMarkup(contents[index]) : ''))
    .join(''),
});

/** Treats text as HTML: only for the output of a safe converter. */
export const trusted = (text: string): Html => ({ [markup]: text });

export const toMarkupText = (content: Html): string => content[markup];

const toMarkup = (content: Content): string => {
  if (content === false || content === null || content === undefined) return '';
  if (Array.isArray(content)) return content.map(toMarkup).join('');
  return isHtml(content) ? content[markup] : escapeHtml(String(content));
};

const isHtml = (content: Content): content is Html =>
  typeof content === 'object' && content !== null && markup in content;
