import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { html } from '../../../nodes/formats/html.ts';
import { runNodeType, runToMain } from '../../support/run-node-type.ts';

const page = `<!doctype html><title>Shop</title><script>var a = "<p>no</p>"</script>
<div id="menu" class="a b"><p>Tea &amp; <b>milk</b></p><p data-x="1">two<p>three</div><a href="/x">x</a><a>y</a>`;

const extractions: readonly (readonly [JsonObject, JsonValue])[] = [
  [{ selector: 'title' }, 'Shop'],
  [{ selector: '#menu.a > p' }, 'Tea & milk'],
  [{ selector: 'p', all: true }, ['Tea & milk', 'two', 'three']],
  [{ selector: 'p', get: 'html' }, 'Tea &amp; <b>milk</b>'],
  [{ selector: 'p:nth-child(2)', get: 'attribute', attribute: 'data-x' }, '1'],
  [{ selector: 'a', get: 'attribute', all: true }, ['/x', null]],
  [{ selector: 'a', get: 'attribute', attribute: '__proto__' }, null],
  [{ selector: 'div:has(b) ~ a' }, 'x'],
  [{ selector: 'table' }, null],
  [{ selector: 'table', all: true }, []],
];

test.each(extractions)('%j', async (extraction, value) => {
  expect(await runToMain(html, { html: page, values: { value: extraction } })).toEqual({ value });
});

test('HTML keeps its letters, and escapes what HTML must', async () => {
  const content = 'Привет «日本» <i title="«é» &quot;">1 &lt; 2&nbsp;&amp;</i>';
  const values = { value: { selector: 'p', get: 'html' } };
  expect(await runToMain(html, { html: `<p>${content}</p>`, values })).toEqual({ value: content });
});

const one = { value: { selector: 'p' } };
const failures: readonly (readonly [string, JsonObject, string])[] = [
  [
    '10 MB',
    { html: '<p>'.repeat(3_400_000), values: one },
    'Parameter "html" must be a string of at most 5000000 characters',
  ],
  [
    'a million elements',
    { html: '<p>'.repeat(1_000_000), values: one },
    'The page has more than 250000 elements, attributes and texts',
  ],
  [
    'deep nesting',
    { html: '<div>'.repeat(100_000), values: one },
    'The page is nested deeper than 500 levels',
  ],
  [
    'an invalid selector',
    { html: page, values: { a: { selector: 'p[' } } },
    'Parameter "values.a.selector" must be a CSS selector',
  ],
  [
    'an unknown pseudo-class',
    { html: page, values: { a: { selector: 'p:nope' } } },
    'Parameter "values.a.selector" must be a CSS selector',
  ],
  [
    'a selector that takes the depth to the power of its parts',
    {
      html: '<div>'.repeat(400),
      values: {
        a: { selector: `${'div '.repeat(8)} p`, all: true },
        b: { selector: `p ${'div '.repeat(8)}`, all: true },
      },
    },
    'Parameter "values.b.selector" takes too many steps on this page; make it simpler',
  ],
  [
    'siblings of siblings',
    { html: '<p></p>'.repeat(20_000), values: { a: { selector: 'b ~ p', all: true } } },
    'Parameter "values.a.selector" takes too many steps',
  ],
  [
    'a wrong parameter',
    { html: page, values: { a: { selector: 1 } } },
    'Parameter "values.a.selector" must be a string',
  ],
];

test.each(failures)('%s: fails and names the parameter', async (_name, parameters, message) => {
  expect(await runNodeType(html, parameters)).toMatchObject({
    failure: { message: expect.stringContaining(message) },
  });
});

test('100,000 sibling elements are searched in one pass', async () => {
  const values = { all: { selector: 'p', all: true } };
  expect(await runToMain(html, { html: '<p>x'.repeat(100_000), values })).toMatchObject({
    all: { length: 100_000 },
  });
});

test('broken HTML is parsed as browsers do', async () => {
  const values = { text: { selector: 'p' } };
  expect(await runToMain(html, { html: '<p>a</b></div>', values })).toEqual({ text: 'a' });
});
