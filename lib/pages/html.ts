import { escapeHtml } from '@hookloom/safe-markdown';

const markup = Symbol('markup');

/** HTML that was made by {@link html}. Data can't be taken for it: JSON has no symbols. */
export interface Html {
  readonly [markup]: string;
}

export type Content = Html | string | number | false | null | undefined | readonly Content[];

/**
 * HTML of a template. All that is filled in is escaped, except for other HTML; false and null are nothing. Values of attributes must be
 * in quotes.
 */
export const html = (texts: TemplateStringsArray, ...contents: readonly Content[]): Html => ({
  [markup]: texts
    .map((text, index) => text + (index < contents.length ? toMarkup(contents[index]) : ''))
    .join(''),
});

/** Takes text for HTML: for text that a safe converter has made. */
export const trusted = (text: string): Html => ({ [markup]: text });

export const toText = (content: Html): string => content[markup];

const toMarkup = (content: Content): string => {
  if (content === false || content === null || content === undefined) return '';
  if (Array.isArray(content)) return content.map(toMarkup).join('');
  return isHtml(content) ? content[markup] : escapeHtml(String(content));
};

const isHtml = (content: Content): content is Html =>
  typeof content === 'object' && content !== null && markup in content;
