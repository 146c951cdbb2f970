import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { renderForm } from '../../../lib/approvals/pages/form.ts';
import { type Content, html, toMarkupText } from '../../../lib/approvals/pages/html.ts';
import { markdown } from '../../../lib/approvals/pages/markdown.ts';
import { answerPage } from '../../../lib/approvals/pages/page.ts';
import { cases } from '../../support/deep.ts';

describe('an HTML template', () => {
  test.each<[Content, string]>([
    ['<b>"&\'', '<p>&lt;b&gt;&quot;&amp;&#39;</p>'],
    [html`<b>${'<'}</b>`, '<p><b>&lt;</b></p>'],
    [[html`<i>`, '<', 7], '<p><i>&lt;7</p>'],
    [null, '<p></p>'],
    [false, '<p></p>'],
    [0, '<p>0</p>'],
    [{ toString: () => '<b>' } as never, '<p>&lt;b&gt;</p>'],
  ])('%# escapes interpolated values', (content, expected) => {
    expect(toMarkupText(html`<p>${content}</p>`)).toBe(expected);
  });
});

/** The elements of a page with their attributes, and its text. */
const parse = (page: string) => {
  const elements: string[] = [];
  const values: string[] = [];
  let text = '';
  const parser = new Parser({
    onopentag: (name, attributes) => {
      elements.push(`${name} ${Object.keys(attributes).join(' ')}`);
      values.push(...Object.values(attributes));
    },
    ontext: (part) => {
      text += part;
    },
  });
  parser.end(page);
  return { elements, values, text };
};

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.string({ unit: fc.constantFrom(...`<>"'&/=! \n\`-ax`), minLength: 1 }),
  fc.constantFrom(
    '</script><script>',
    '</textarea>',
    '</title>',
    '-->',
    ']]>',
    '&lt;',
    '" onload="x',
    '<!--',
  ),
);

/** A page with the same text in every place. */
const pageOf = (text: string): string => {
  const field = { type: 'string', title: text, description: text, default: text };
  const properties = {
    [text]: field,
    [`${text}.`]: { ...field, maxLength: 900 },
    [`${text}..`]: { ...field, enum: [text, `${text}.`] },
  };
  const typed = Object.fromEntries(Object.keys(properties).map((name) => [name, text]));
  const errors = Object.keys(properties).map((name) => ({ name, message: text }));
  const form = { schema: { properties, required: [`${text}..`] }, typed, errors, buttons: text };
  return (
    answerPage({ title: text, content: renderForm({ ...form, hidden: { a: text } }) }).body?.replace(
      /<style>[^<]*<\/style>/,
      '',
    ) ?? ''
  );
};

test('any text in any place appears as text, and changes no element or attribute', () => {
  const plain = parse(pageOf('plain'));
  const count = (texts: readonly string[], text: string) => texts.filter((value) => value === text).length;
  fc.assert(
    fc.property(anyText, (given) => {
      // Apart from the line's ends and the NUL that parsers change, and what means something to the form.
      const text = `t${given.replaceAll(/[\r\0]/g, '')}t`;
      const page = parse(pageOf(text));
      expect(page.elements).toEqual(plain.elements);
      expect(count(page.values, text)).toBe(count(plain.values, 'plain'));
      expect(page.text.split(text).length).toBeGreaterThan(6);
    }),
    { numRuns: cases(100, 5_000) },
  );
});

const allowed = new Set(
  ['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'em', 'strong', 'del', 'a', 'code', 'pre'].concat([
    'blockquote',
    'hr',
    'br',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
  ]),
);
const attributes = new Set(['href', 'title', 'align', 'class', 'start']);

test('any Markdown becomes text and links to safe URLs only', () => {
  const parts = fc.constantFrom(
    '<script>',
    '<img src=x onerror=y>',
    '[a](',
    'javascript:alert(1)',
    ')',
    '![',
    '](',
    '<',
    '>',
    '`',
    '# ',
    '- [x] ',
    '\n',
    '\n\n',
    '"',
    '&colon;',
    'http://a.b',
    '| a |\n|---|\n',
    '**',
    '~~',
    '> ',
    '1. ',
    '\t',
    '[',
    ']',
    'data:x',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(parts, anyText), { maxLength: 12 }), (texts) => {
      const found: string[] = [];
      new Parser({
        onopentag: (name, given) => {
          if (!allowed.has(name)) found.push(name);
          for (const [attribute, value] of Object.entries(given)) {
            const isLink = attribute === 'href';
            const isSafe = isLink && /^(https?|mailto|tel):/.test(new URL(value, 'https://own.example').href);
            if (!attributes.has(attribute) || (isLink && !isSafe))
              found.push(`${name} ${attribute} ${value}`);
          }
        },
      }).end(toMarkupText(markdown(texts.join(''))));
      expect(found).toEqual([]);
    }),
    { numRuns: cases(200, 10_000) },
  );
});

describe('Markdown on a page', () => {
  test.each([
    ['# One', '<h2>One</h2>\n'],
    ['###### Six', '<h6>Six</h6>\n'],
    ['![alt](https://a.example/p.png)', '<p>alt</p>\n'],
    ['[](https://a.example)', '<p><a href="https://a.example">https://a.example</a></p>\n'],
    [`${'> '.repeat(5_000)}x`, expect.stringMatching(/^<pre>(&gt; )+x<\/pre>$/)],
    ['x'.repeat(6_000), expect.stringMatching(/^<pre>x+<\/pre>$/)],
  ])('%#', (text, expected) => {
    expect(toMarkupText(markdown(text))).toEqual(expected);
  });

  test('shows tasks as text', () => {
    expect(toMarkupText(markdown('- [x] a\n- [ ] b'))).toMatch(/☑ a[\s\S]*☐ b/);
  });
});

test('a page may use its own style, and nothing else', async () => {
  const { headers, body } = answerPage({ title: 'x', content: null });
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(body ?? '') ?? [];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${Buffer.from(digest).toString('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  );
  expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
});
