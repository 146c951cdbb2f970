import { renderMarkdown, safeRenderer } from '@hookloom/safe-markdown';
import type { RendererObject } from 'marked';
import { type Html, html, toMarkupText, trusted } from './html.ts';

/** Converts Markdown to part of a page; shown as text if it can't be converted. */
export const markdown = (text: string): Html => {
  try {
    return trusted(renderMarkdown(text, pageRenderer, 'The text'));
  } catch (error) {
    if (error instanceof RangeError) return html`<pre>${text}</pre>`;
    throw error;
  }
};

/**
 * Replaces what a page must not contain: a second main title, links without a name, images, which its policy forbids,
 * and form fields.
 */
const pageRenderer: RendererObject = {
  ...safeRenderer,
  heading({ tokens, depth }) {
    const level = Math.min(depth + 1, 6);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
  },
  link(token) {
    const { text, href } = token;
    const named =
      text.trim() === '' ? { ...token, tokens: [{ type: 'text', raw: href, text: href }] } : token;
    return safeRenderer.link?.call(this, named) ?? '';
  },
  image: ({ text }) => toMarkupText(html`${text === '' ? 'image' : text}`),
  checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
};
