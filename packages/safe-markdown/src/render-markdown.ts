import { Marked, Renderer, type RendererObject } from 'marked';
import { escapeHtml } from './escape-html.ts';

/** The converter takes time by the square of the longest word: this long it is milliseconds. */
const MAX_WORD = 5_000;

const safeProtocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/**
 * Converts Markdown to HTML.
 *
 * @param renderer - what differs from CommonMark, such as {@link safeRenderer}
 * @param subject - begins the messages of errors
 * @throws RangeError for a text with too long a word, or nested too deep
 */
export const renderMarkdown = (text: string, renderer: RendererObject, subject: string): string => {
  if (text.split(/\s+/).some((word) => word.length > MAX_WORD))
    throw new RangeError(`${subject} has a word of more than ${MAX_WORD} characters`);
  const marked = new Marked({ renderer });
  try {
    return marked.parse(text, { async: false });
  } catch (cause) {
    // The converter is recursive: quotes in quotes use up the stack.
    if (cause instanceof RangeError) throw new RangeError(`${subject} is nested too deep`, { cause });
    throw cause;
  }
};

/** Shows HTML within Markdown as text, and makes links and images of safe addresses alone. */
export const safeRenderer: RendererObject = {
  html: ({ text }) => escapeHtml(text),
  /** The converter takes what follows a tag such as `<kbd>` or `<script>` for HTML, to which the text belongs. */
  text(token) {
    return Renderer.prototype.text.call(this, { ...token, escaped: false } as typeof token);
  },
  link({ href, title, tokens }) {
    const content = this.parser.parseInline(tokens);
    return isSafeUrl(href) ? `<a href="${escapeUrl(href)}"${toTitle(title)}>${content}</a>` : content;
  },
  image: ({ href, title, text }) =>
    isSafeUrl(href)
      ? `<img src="${escapeUrl(href)}" alt="${escapeHtml(text)}"${toTitle(title)}>`
      : escapeHtml(text),
};

const toTitle = (title: string | null | undefined): string =>
  typeof title === 'string' ? ` title="${escapeHtml(title)}"` : '';

/** By the parser that browsers have, which passes over blanks and control characters in `java\nscript:`. */
const isSafeUrl = (href: string): boolean => {
  const url = URL.parse(href, 'https://relative.invalid');
  return url !== null && safeProtocols.has(url.protocol);
};

/** Any entity but `&amp;` is text, so that `javascript&colon;` stays without a meaning. */
const escapeUrl = (href: string): string => escapeHtml(href.replaceAll('&amp;', '&'));
