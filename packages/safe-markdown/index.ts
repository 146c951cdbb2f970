/** Converts Markdown to HTML that cannot run scripts. See the README. */
export { escapeHtml } from './src/escape-html.ts';
export { renderMarkdown, safeRenderer } from './src/render-markdown.ts';
