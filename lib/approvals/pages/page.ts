import { createHash } from 'node:crypto';
import type { Answer } from '../../shared/answer.ts';
import { type Content, html, toMarkupText, trusted } from './html.ts';
import { style } from './style.ts';

interface Page {
  /** HTTP status of the page; 200 by default. */
  readonly status?: number;
  readonly title: string;
  /** Whether the form on it was sent with errors; the window title says so, since screen readers read it first. */
  readonly hasErrors?: boolean;
  readonly content: Content;
}

/** Nothing is loaded and nothing runs; the page's style is allowed by its hash. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The URL of a page may be secret: it is not sent to other sites, not cached, and not indexed by search engines. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/** A page in plain HTML for people to read. */
export const answerPage = ({ status = 200, title, hasErrors = false, content }: Page): Answer => ({
  status,
  headers,
  body: toMarkupText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${hasErrors && 'Error: '}${title}</title>
<style>${trusted(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`),
});

/** A page of one paragraph, such as a thank-you. */
export const answerNotice = (status: number, title: string, text: string): Answer =>
  answerPage({ status, title, content: html`<p>${text}</p>` });
