import { renderMarkdown as render, safeRenderer } from '../../../shared/markup/render-markdown.ts';

/**
 * Converts Markdown to HTML.
 *
 * @param allowHtml - keeps HTML and links as they are
 * @throws RangeError for a text with too long a word, or nested too deep
 */
export const renderMarkdown = (text: string, allowHtml: boolean): string =>
  render(text, allowHtml ? {} : safeRenderer, 'Parameter "markdown"');
