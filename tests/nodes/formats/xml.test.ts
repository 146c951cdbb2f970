import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { xml } from '../../../nodes/formats/xml.ts';
import { runNodeType, runToMain } from '../../support/run-node-type.ts';

const parsed: readonly (readonly [string, JsonValue])[] = [
  ['<a/>', { a: '' }],
  ['<a>x</a>', { a: 'x' }],
  ['<a> 007 </a>', { a: ' 007 ' }],
  ['<a b="1" c=\'&lt;2&#x41;\'>x</a>', { a: { '@b': '1', '@c': '<2A', '#text': 'x' } }],
  ['<a><b>1</b><c/><b>2</b></a>', { a: { b: ['1', '2'], c: '' } }],
  ['<?xml version="1.0"?>\n<!-- c --><a>&amp;&#65;<![CDATA[<b>&amp;]]></a>\n', { a: '&A<b>&amp;' }],
  ['<a>\n  <b/>\n</a>', { a: { b: '' } }],
  ['<n:a xmlns:n="u"><n:b>1</n:b></n:a>', { 'n:a': { '@xmlns:n': 'u', 'n:b': '1' } }],
  ['<__proto__><constructor>1</constructor></__proto__>', JSON.parse('{"__proto__":{"constructor":"1"}}')],
];

test.each(parsed)('%s is parsed', async (text, data) => {
  expect(JSON.stringify(await runToMain(xml, { text }))).toBe(JSON.stringify({ data }));
});

test('a listed element is a list, even a single one', async () => {
  expect(await runToMain(xml, { text: '<a><b>1</b></a>', lists: ['b'] })).toEqual({
    data: { a: { b: ['1'] } },
  });
});

const bomb = `<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<lolz>&b;</lolz>`;

const failures: readonly (readonly [string, string, string])[] = [
  ['an entity that is not defined', '<a>\n&unknown;</a>', 'has an "&" that does not begin an entity: line 2'],
  ['one in an attribute', '<a b="&unknown;"/>', 'has an "&" that does not begin an entity: line 1'],
  ['an ampersand outside of CDATA', '<a>a & b</a>', 'has an "&" that does not begin an entity: line 1'],
  ['an XML bomb', bomb, 'has a document type (<!DOCTYPE>), which is not allowed; remove it: line 2'],
  [
    'an external entity',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    'has a document type',
  ],
  [
    'an element that is not closed',
    '<a>\n<b></a>',
    'has an end tag that does not match its start tag: line 2',
  ],
  ['an end tag alone', '<a></a></b>', 'has an end tag that does not match its start tag: line 1'],
  ['an end', '<a><b>', 'ends within an element'],
  ['an end within a tag', '<a></a><b', 'ends within a tag'],
  ['nothing', '', 'has no root element'],
  ['text alone', 'text', 'has text outside its root element: line 1'],
  ['two roots', '<a/>\n<b/>', 'has a second root element: line 2'],
  ['text behind the root', '<a/>x', 'has text outside its root element'],
  ['an attribute without quotes', '<a b=1/>', 'has an attribute without quotes'],
  ['an attribute without a value', '<a b/>', 'has an attribute without quotes'],
  ['an attribute twice', '<a b="1" b="2"/>', 'has the same attribute twice on one element'],
  ['deep nesting', '<a>'.repeat(100_000), 'is nested deeper than 200 levels: line 1'],
  [
    'too many elements',
    `<a>${'<b/>'.repeat(250_000)}</a>`,
    'has more than 250000 elements, attributes and entities; send it in parts',
  ],
  ['too many entities', `<a>${'&lt;'.repeat(250_000)}</a>`, 'has more than 250000'],
  ['too many in an attribute', `<a b="${'&lt;'.repeat(250_001)}"/>`, 'has more than 250000'],
  [
    'too many names',
    `<a>${Array.from({ length: 10_000 }, (_, at) => `<b${at}/>`).join('')}</a>`,
    'has more than 10000 different names of elements and attributes',
  ],
  ['too many ampersands', '&'.repeat(250_001), 'has more than 250000 "&" characters'],
  ['11 MB', `<a>${'x'.repeat(11_000_000)}</a>`, 'must be a string of at most 10000000 characters'],
];

test.each(failures)('%s is refused with its place', async (_name, text, message) => {
  expect(await runNodeType(xml, { text })).toMatchObject({
    failure: { message: expect.stringContaining(`Parameter "text" ${message}`) },
  });
});

const unwritable: readonly (readonly [JsonObject, string])[] = [
  [{}, 'Parameter "data" must have one key'],
  [{ a: 1, b: 2 }, 'Parameter "data" must have one key'],
  [{ a: [1, 2] }, 'Parameter "data" must have one key'],
  [{ 'a b': 1 }, 'Parameter "data.a b" must have a name that XML allows'],
  [{ a: { '@b><': 1 } }, 'Parameter "data.a.@b><" must have a name that XML allows'],
  [
    { a: { b: [1, { '@c': {} }] } },
    'Parameter "data.a.b[1].@c" must be text, a number or a boolean, got object',
  ],
  [{ a: 'x\u0000' }, 'Parameter "data.a" has a character that XML can\'t carry'],
];

test.each(unwritable)('%j is not written', async (data, message) => {
  expect(await runNodeType(xml, { operation: 'write', data })).toMatchObject({
    failure: { message: expect.stringContaining(message) },
  });
});

test('a document is written', async () => {
  const data = { order: { '@id': 7, line: ['<tea>', null], total: 1.5, note: { '#text': 'a & b' } } };
  expect(await runToMain(xml, { operation: 'write', data })).toEqual({
    text: '<?xml version="1.0" encoding="UTF-8"?>\n<order id="7"><line>&lt;tea&gt;</line><line/><total>1.5</total><note>a &amp; b</note></order>',
  });
});

describe('for any document', () => {
  const text = fc.string({ unit: 'grapheme-ascii' }).map((value) => `x${value}`);
  const name = fc.stringMatching(/^[a-z_][a-z0-9._-]{0,5}$/);
  const { element } = fc.letrec<{ element: JsonValue }>((tie) => ({
    element: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.dictionary(name, tie('element'), { minKeys: 1, maxKeys: 3 }),
    ),
  }));

  test('written XML parses to the same document', async () => {
    await fc.assert(
      fc.asyncProperty(name, element, async (root, content) => {
        const data: JsonObject = JSON.parse(JSON.stringify({ [root]: content }));
        const { text: written } = await runToMain(xml, { operation: 'write', data });
        expect(await runToMain(xml, { text: written ?? '' })).toEqual({ data });
      }),
      { numRuns: 100 },
    );
  });
});
