import { Marked, Renderer, type RendererObject } from 'marked';
import { escapeHtml } from './escape-html.ts';

/** The converter's time is quadratic in the length of the longest word; at this length it is a few milliseconds. */
const MAX_WORD = 5_000;

const safeProtocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/**
 * Converts Markdown to HTML.
 *
 * @param renderer - overrides the HTML of CommonMark elements, such as {@link safeRenderer}
 * @param subject - the subject of error messages
 * @throws RangeError when a word is too long or the text is nested too deeply
 */
export const renderMarkdown = (text: string, renderer: RendererObject, subject: string): string => {
  if (text.split(/\s+/).some((word) => word.length > MAX_WORD))
    throw new RangeError(`${subject} has a word longer than ${MAX_WORD} characters`);
  const marked = new Marked({ renderer });
  try {
    return marked.parse(text, { async: false });
  } catch (cause) {
    // The converter is recursive, so deeply nested quotes exhaust the stack.
    if (cause instanceof RangeError) throw new RangeError(`${subject} is nested too deeply`, { cause });
    throw cause;
  }
};

/** Shows HTML inside Markdown as text, and renders links and images only if their URL is safe. */
export const safeRenderer: RendererObject = {
  html: ({ text }) => escapeHtml(text),
  /** Escapes text, since the converter would treat the text after a tag such as `<kbd>` or `<script>` as HTML. */
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

/** Uses the URL parser that browsers use, which ignores whitespace and control characters, as in `java\nscript:`. */
const isSafeUrl = (href: string): boolean => {
  const url = URL.parse(href, 'https://relative.invalid');
  return url !== null && safeProtocols.has(url.protocol);
};

/** Escapes every entity except `&amp;`, so that `javascript&colon;` is not decoded. */
const escapeUrl = (href: string): string => escapeHtml(href.replaceAll('&amp;', '&'));
