import { isNodeError, type JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseFeed } from '../../../nodes/rss/parse-feed.ts';
import { cases } from '../../support/deep.ts';

const parse = (document: string, options: Partial<Parameters<typeof parseFeed>[1]> = {}) =>
  parseFeed(document, {
    baseUrl: 'https://blog.example/feeds/all.xml',
    since: null,
    maxItems: 10,
    ...options,
  });

const itemsOf = (document: string, options = {}) => parse(document, options).items as JsonObject[];

const nothing = {
  id: null,
  title: null,
  link: null,
  author: null,
  published: null,
  updated: null,
  summary: null,
  content: null,
  categories: [],
  enclosures: [],
};

const rss = (items: string): string => `<rss version="2.0"><channel>${items}</channel></rss>`;

const RSS2 = `<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="style.xsl"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">
  <channel>
    <atom:link href="https://blog.example/feeds/all.xml" rel="self"/>
    <title>Tea &amp; milk</title>
    <link>https://blog.example/</link>
    <description><![CDATA[All <b>about</b> tea]]></description>
    <language>en-gb</language>
    <lastBuildDate>Mon, 05 Jan 2026 10:00:00 GMT</lastBuildDate>
    <image><title>Logo</title><url>https://blog.example/logo.png</url></image>
    <item>
      <title>Green &#8211; tea</title>
      <link>/green</link>
      <guid isPermaLink="false">tag:1</guid>
      <dc:creator>Ann</dc:creator>
      <pubDate>Sun, 04 Jan 2026 10:00:00 +0100</pubDate>
      <description>&lt;p&gt;It is green&lt;/p&gt;</description>
      <content:encoded><![CDATA[<p>It is green & good</p>]]></content:encoded>
      <category domain="x">tea</category><category> green </category><category/>
      <enclosure url="/green.mp3" length="123" type="audio/mpeg"/><enclosure length="1"/>
    </item>
    <item><guid>https://blog.example/2</guid></item>
    <item/>
  </channel>
</rss>`;

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de">
  <title type="text">Tee</title><subtitle>Alles</subtitle>
  <link rel="self" href="/feeds/all.xml"/><link href="https://blog.example/"/>
  <updated>2026-01-05T10:00:00Z</updated>
  <author><name>Feed</name></author>
  <entry>
    <id>urn:1</id>
    <title type="html">Gr&amp;uuml;n</title>
    <link rel="edit" href="/edit/1"/><link rel="alternate" href="1"/>
    <link rel="enclosure" href="/1.pdf" type="application/pdf" length="many"/>
    <author><name>Ann</name><email>ann@example.com</email></author>
    <published>2026-01-04T10:00:00+01:00</published><updated>2026-01-05T10:00:00Z</updated>
    <summary>Kurz</summary>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Tee <b>gr&#252;n</b><br/></p></div></content>
    <category term="tea" label="Tee"/>
  </entry>
</feed>`;

const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
  <channel rdf:about="https://blog.example/rdf"><title>Tea</title><link>https://blog.example/</link>
    <items><rdf:Seq><rdf:li resource="https://blog.example/1"/></rdf:Seq></items><dc:date>2026-01-05</dc:date>
  </channel>
  <item rdf:about="https://blog.example/1"><title>Green</title><dc:subject>tea</dc:subject><dc:date>2026-01-04</dc:date></item>
</rdf:RDF>`;

const manyAttributes = Array.from({ length: 100_000 }, (_, index) => `a${index}=""`).join(' ');

const manyPrefixes = Array.from({ length: 100 }, (_, index) => `xmlns:p${index}="urn:${index}"`).join(' ');

test('RSS 2.0', () => {
  expect(parse(RSS2)).toEqual({
    format: 'rss',
    title: 'Tea & milk',
    link: 'https://blog.example/',
    description: 'All <b>about</b> tea',
    language: 'en-gb',
    updated: '2026-01-05T10:00:00.000Z',
    items: [
      {
        id: 'tag:1',
        title: 'Green – tea',
        link: 'https://blog.example/green',
        author: 'Ann',
        published: '2026-01-04T09:00:00.000Z',
        updated: null,
        summary: '<p>It is green</p>',
        content: '<p>It is green & good</p>',
        categories: ['tea', 'green'],
        enclosures: [{ url: 'https://blog.example/green.mp3', mediaType: 'audio/mpeg', size: 123 }],
      },
      { ...nothing, id: 'https://blog.example/2', link: 'https://blog.example/2' },
      nothing,
    ],
    hasMore: false,
  });
});

test('Atom', () => {
  expect(parse(ATOM)).toEqual({
    format: 'atom',
    title: 'Tee',
    link: 'https://blog.example/',
    description: 'Alles',
    language: 'de',
    updated: '2026-01-05T10:00:00.000Z',
    items: [
      {
        id: 'urn:1',
        title: 'Grün',
        link: 'https://blog.example/feeds/1',
        author: 'Ann',
        published: '2026-01-04T09:00:00.000Z',
        updated: '2026-01-05T10:00:00.000Z',
        summary: 'Kurz',
        content: '<div xmlns="http://www.w3.org/1999/xhtml"><p>Tee <b>gr&#252;n</b><br/></p></div>',
        categories: ['tea'],
        enclosures: [{ url: 'https://blog.example/1.pdf', mediaType: 'application/pdf', size: null }],
      },
    ],
    hasMore: false,
  });
});

test('RSS 1.0', () => {
  expect(parse(RDF)).toMatchObject({
    format: 'rss',
    title: 'Tea',
    link: 'https://blog.example/',
    updated: '2026-01-05T00:00:00.000Z',
    items: [
      {
        id: 'https://blog.example/1',
        title: 'Green',
        published: '2026-01-04T00:00:00.000Z',
        categories: ['tea'],
      },
    ],
  });
});

test('relative links are unchanged without a URL', () => {
  expect(itemsOf(rss('<item><link>/a</link></item>'), { baseUrl: null })).toMatchObject([{ link: '/a' }]);
});

test('keys of Object.prototype are ordinary names', () => {
  const items = '<item __proto__="x"><__proto__>a</__proto__><constructor/><title>T</title></item>';
  expect(itemsOf(rss(items))).toEqual([{ ...nothing, title: 'T' }]);
  expect(() => parse('<constructor/>')).toThrow('its root element is <constructor>');
});

/** A feed of RSS 1.0 in which each element has a prefix that only its document knows. */
const PREFIXED = `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rss="http://purl.org/rss/1.0/"
    xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:c="http://purl.org/rss/1.0/modules/content/">
  <rss:channel r:about="https://blog.example/rdf"><rss:title>Tea</rss:title><rss:link>https://blog.example/</rss:link></rss:channel>
  <rss:item r:about="https://blog.example/1"><rss:title>Green</rss:title><rss:link>/1</rss:link>
    <d:creator>Ann</d:creator><d:date>2026-01-04</d:date><d:subject>tea</d:subject><c:encoded>&lt;p&gt;a&lt;/p&gt;</c:encoded></rss:item>
</r:RDF>`;

describe('elements are known by their namespace', () => {
  test('whatever their prefix is', () => {
    expect(parse(PREFIXED)).toMatchObject({
      format: 'rss',
      title: 'Tea',
      link: 'https://blog.example/',
      items: [
        {
          id: 'https://blog.example/1',
          title: 'Green',
          link: 'https://blog.example/1',
          author: 'Ann',
          published: '2026-01-04T00:00:00.000Z',
          categories: ['tea'],
          content: '<p>a</p>',
        },
      ],
    });
    const atom = ATOM.replaceAll(/<(\/?)(?!div|p>|b>|br)(?=[a-z])/g, '<$1a:').replace('xmlns=', 'xmlns:a=');
    expect(parse(atom)).toEqual(parse(ATOM));
  });

  test('and not those of others', () => {
    const others =
      '<title xmlns="urn:x">no</title><dc:title xmlns:dc="urn:y">no</dc:title><title>yes</title>';
    expect(itemsOf(rss(`<item>${others}</item>`))).toEqual([{ ...nothing, title: 'yes' }]);
  });

  test('also if the default namespace of RSS is unknown', () => {
    const document = rss('<item><title>a</title></item>').replace('<rss', '<rss xmlns="urn:x"');
    expect(itemsOf(document)).toEqual([{ ...nothing, title: 'a' }]);
  });
});

describe('relative links are resolved', () => {
  test('against xml:base, each relative to the one around it', () => {
    const document = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/a/">
      <link href="home"/>
      <entry xml:base="b/"><link xml:base="c/" href="1"/><link rel="enclosure" href="1.pdf"/></entry>
      <entry xml:base="http://other.example/"><link href="2"/></entry>
      <entry xml:base="http://["><link href="3"/></entry>
    </feed>`;
    const { link, items } = parse(document) as { link: string; items: JsonObject[] };
    expect([link, ...items.map((item) => item.link)]).toEqual([
      'https://blog.example/a/home',
      'https://blog.example/a/b/c/1',
      'http://other.example/2',
      'https://blog.example/a/3',
    ]);
    expect(items[0]?.enclosures).toMatchObject([{ url: 'https://blog.example/a/b/1.pdf' }]);
  });

  test('in RSS too, also without the URL of the feed', () => {
    const items = '<item xml:base="https://x.example/y/"><link>z</link><enclosure url="f"/></item>';
    expect(itemsOf(rss(items), { baseUrl: null })).toMatchObject([
      { link: 'https://x.example/y/z', enclosures: [{ url: 'https://x.example/y/f' }] },
    ]);
  });
});

describe('text', () => {
  const entry = (content: string, namespace = 'http://www.w3.org/2005/Atom') =>
    itemsOf(`<feed xmlns="${namespace}"><entry>${content}</entry></feed>`)[0];

  test.each([
    ['<title type="html">a &lt;b&gt;b&lt;/b&gt; &amp;amp; c</title>', 'a b & c'],
    ['<title type="html"><![CDATA[1 &lt; 2]]></title>', '1 < 2'],
    ['<title type="text">a &lt;b&gt;</title>', 'a <b>'],
    ['<title>a &lt;b&gt;</title>', 'a <b>'],
    [
      '<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a <b>b</b>\n &amp; c</div></title>',
      'a b & c',
    ],
  ])('of the title %s is plain', (title, expected) => {
    expect(entry(title)).toMatchObject({ title: expected });
  });

  test('is read from Atom 0.3 too', () => {
    const content = `<title mode="escaped" type="text/html">T &amp;amp; M</title>
      <issued>2026-01-04T10:00:00Z</issued><modified>2026-01-05T10:00:00Z</modified>
      <content type="text/plain" mode="base64">w7wgJiBi</content>`;
    expect(entry(content, 'http://purl.org/atom/ns#')).toMatchObject({
      title: 'T & M',
      published: '2026-01-04T10:00:00.000Z',
      updated: '2026-01-05T10:00:00.000Z',
      content: 'ü & b',
    });
  });

  test.each([
    ['application/json', 'eyJhIjoxfQ==', '{"a":1}'],
    ['application/json', '{"a":1}', '{"a":1}'],
    ['image/png', 'iVBORw0KGgo=', 'iVBORw0KGgo='],
    ['text/plain', 'abcd', 'abcd'],
  ])('of the type %s is decoded if it is text in Base64: %s', (type, text, expected) => {
    expect(entry(`<content type="${type}">${text}</content>`)).toMatchObject({ content: expected });
  });
});

test('what Dublin Core, iTunes and Media RSS say counts if RSS does not', () => {
  const document = rss(`<item>
      <dc:title>Dublin</dc:title><dc:description>D</dc:description><dc:date>2026-01-04</dc:date>
      <itunes:author>Ann</itunes:author><itunes:keywords>tea, milk</itunes:keywords>
      <media:group><media:content url="/a.mp4" type="video/mp4" fileSize="7"/><media:content url="/b.mp4"/></media:group>
    </item>
    <item><itunes:summary>I</itunes:summary><media:title type="html">&lt;i&gt;M&lt;/i&gt;</media:title>
      <enclosure url="/c.mp3" length="1" type="audio/mpeg"/><media:content url="/c.mp3"/></item>`).replace(
    '<rss',
    '<rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/"',
  );
  const at = 'https://blog.example';
  expect(itemsOf(document)).toEqual([
    {
      ...nothing,
      title: 'Dublin',
      summary: 'D',
      published: '2026-01-04T00:00:00.000Z',
      author: 'Ann',
      categories: ['tea', 'milk'],
      enclosures: [
        { url: `${at}/a.mp4`, mediaType: 'video/mp4', size: 7 },
        { url: `${at}/b.mp4`, mediaType: null, size: null },
      ],
    },
    {
      ...nothing,
      title: 'M',
      summary: 'I',
      enclosures: [{ url: `${at}/c.mp3`, mediaType: 'audio/mpeg', size: 1 }],
    },
  ]);
});

describe('the items', () => {
  const dates = ['2026-01-05', '', '2026-01-03', '2026-01-04'];
  const document = rss(
    dates.map((date, index) => `<item><guid>${index}</guid><pubDate>${date}</pubDate></item>`).join(''),
  );
  const idsOf = (options: object) => {
    const { items, hasMore } = parse(document, options) as { items: JsonObject[]; hasMore: boolean };
    return [items.map(({ id }) => id).join(''), hasMore];
  };

  test.each([
    ['in the order of the feed', {}, ['0123', false]],
    ['as many as maxItems', { maxItems: 3 }, ['012', true]],
    ['as many as there are', { maxItems: 4 }, ['0123', false]],
    ['since a date, without one as well', { since: Date.parse('2026-01-04') }, ['01', false]],
    ['since a date, as many as maxItems', { since: 0, maxItems: 1 }, ['0', true]],
  ])('are those %s', (_case, options, expected) => {
    expect(idsOf(options)).toEqual(expected);
  });
});

describe('an invalid feed', () => {
  test.each([
    ['has no XML element', ''],
    ['has no XML element', 'Not found'],
    ['has no XML element', '{"items":[]}'],
    ['is neither RSS nor Atom: its root element is <html>', '<!DOCTYPE html><html><p>Hi</html>'],
    [
      'is neither RSS nor Atom: its root element is <feed> of the namespace "urn:x"',
      '<feed xmlns="urn:x"><entry/></feed>',
    ],
    [
      'has no items: <item> of the namespace "urn:x" is no item of RSS or Atom',
      rss('<x:item xmlns:x="urn:x"/>'),
    ],
    ['has neither a channel nor items', '<rss></rss>'],
    ['declares more than 100 namespaces', rss(`<a ${manyPrefixes}/>`)],
    [
      'has a title that is nested deeper than 100 levels',
      `<feed><title type="html">${'&lt;i&gt;'.repeat(101)}</title></feed>`,
    ],
    ['is truncated: its root element has no end', RSS2.slice(0, -10)],
    ['is truncated: its root element has no end', RSS2.slice(0, 900)],
    ['is nested deeper than 100 levels', rss(`${'<a>'.repeat(99)}`)],
    ['has more than 100000 elements and attributes', rss('<a/>'.repeat(100_000))],
    ['has more than 100000 elements and attributes', rss(`<a ${manyAttributes}/>`)],
  ])('%s', (problem, document) => {
    expect(() => parse(document)).toThrow(
      expect.objectContaining({ name: 'NotAFeed', message: `The feed ${problem}`, isRetryable: false }),
    );
  });

  test('expands no entity of a document type', () => {
    const bomb = Array.from(
      { length: 9 },
      (_, index) => `<!ENTITY b${index + 1} "${`&b${index};`.repeat(10)}">`,
    );
    const type = `<!DOCTYPE rss [<!ENTITY b0 "tea">${bomb.join('')}<!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const items = itemsOf(`${type}${rss('<item><title>&b9;&x;&nbsp;</title></item>')}`);
    expect(items).toMatchObject([{ title: '&b9;&x;&nbsp;' }]);
  });

  test('that is damaged anywhere is parsed, or fails as a feed', () => {
    const pieces = [
      '<',
      '>',
      '/',
      '"',
      '&',
      ']]>',
      '<![CDATA[',
      '<item>',
      '</item>',
      '</channel>',
      '<!--',
      '\0',
      '',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(RSS2, ATOM, RDF, PREFIXED),
        fc.array(fc.tuple(fc.nat(1_500), fc.nat(20), fc.constantFrom(...pieces)), { maxLength: 5 }),
        (document, edits) => {
          let spoilt = document;
          for (const [at, length, piece] of edits)
            spoilt = spoilt.slice(0, at) + piece + spoilt.slice(at + length);
          try {
            const feed = parse(spoilt);
            expect(feed).toStrictEqual(JSON.parse(JSON.stringify(feed)));
          } catch (error) {
            if (!isNodeError(error)) throw error;
          }
        },
      ),
      { numRuns: cases(60, 5_000) },
    );
  });
});
