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
        title: 'Gr&uuml;n',
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
        fc.constantFrom(RSS2, ATOM, RDF),
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
