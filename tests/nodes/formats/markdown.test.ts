import { expect, test } from '@jest/globals';
import { markdown } from '../../../nodes/formats/markdown.ts';
import { cases } from '../../support/deep.ts';
import { runNodeType, runToMain } from '../../support/run-node-type.ts';

const render = async (text: string, allowHtml = false) =>
  (await runToMain(markdown, { markdown: text, allowHtml })).html;

test.each([
  ['# Title', '<h1>Title</h1>\n'],
  ['~~a~~ `b`', '<p><del>a</del> <code>b</code></p>\n'],
  ['[a](/b?x=1&y=2 "t")', '<p><a href="/b?x=1&amp;y=2" title="t">a</a></p>\n'],
  ['![a](b.png)', '<p><img src="b.png" alt="a"></p>\n'],
  ['', ''],
])('%j', async (text, html) => {
  expect(await render(text)).toBe(html);
});

test.each([
  '<script>alert(1)</script>',
  'a <img src=x onerror=alert(1)> b',
  '<kbd><img src=x onerror=alert(1) x',
  '<script><img src=x onerror=alert(1) x',
  'a <code>b <svg onload=alert(1) c',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](javascript&colon;alert(1))',
  '[a](&#106;avascript:alert(1))',
  '[a](<java\tscript:alert(1)>)',
  '[a](data:text/html,<script>alert(1)</script>)',
  '![a](javascript:alert(1))',
  '![a"onerror="alert(1)](x)',
  '[a](x "b"onclick="alert(1)")',
  '[a](x"onclick="alert(1))',
  '[a][r]\n\n[r]: javascript:alert(1)',
  '<javascript:alert(1)>',
  '```"><script>\na\n```',
])('%j can run no script', async (text) => {
  const html = String(await render(text));
  expect(html).not.toMatch(/<(?!\/?(?:p|a|img|pre|code|em|strong)\b)[a-z]/i);
  expect(html).not.toMatch(/<[^>]* on\w+="/i);
  for (const [, url = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g))
    expect(['https:', 'http:']).toContain(new URL(url, 'https://page.invalid').protocol);
});

test('HTML is kept when it is allowed', async () => {
  expect(await render('<b>a</b>', true)).toBe('<p><b>a</b></p>\n');
});

test.each([
  ['quotes within quotes', '> '.repeat(cases(5_000, 50_000)), 'Parameter "markdown" is nested too deep'],
  ['a long word', `a ${'a_'.repeat(50_000)}`, 'Parameter "markdown" has a word longer than 5000 characters'],
  [
    'too long a text',
    'a '.repeat(200_000),
    'Parameter "markdown" must be a string of at most 200000 characters',
  ],
])('%s: fails and names the parameter', async (_name, text, message) => {
  expect(await runNodeType(markdown, { markdown: text })).toMatchObject({
    failure: { message: expect.stringContaining(message) },
  });
});
