/** Markdown to HTML in which nothing runs. See the README. */
export { escapeHtml } from './src/escape-html.ts';
export { renderMarkdown, safeRenderer } from './src/render-markdown.ts';
