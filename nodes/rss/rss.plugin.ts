import { closed, defineAction, definePlugin, eachOf, orNull, Type } from '@hookloom/plugin-kit';

const text = orNull(Type.String());

/** An item of a feed. */
export const feedItem = closed({
  id: text,
  title: text,
  link: text,
  author: text,
  published: text,
  updated: text,
  summary: text,
  content: text,
  categories: Type.Array(Type.String()),
  enclosures: Type.Array(Type.Object({})),
});

export const rss = defineAction({
  id: 'rss',
  name: 'RSS feed',
  description:
    'Reads a feed (RSS 2.0, RSS 1.0 or Atom) from a URL or a string. Outputs { title, link, items, … } with dates in ISO 8601, UTC; null for what the feed does not have',
  outputs: {
    main: closed({
      notModified: Type.Boolean(),
      format: text,
      title: text,
      link: text,
      description: text,
      language: text,
      updated: text,
      items: Type.Array(feedItem),
      hasMore: Type.Boolean(),
      etag: Type.String(),
      lastModified: Type.String(),
      url: text,
    }),
  },
  parameters: Type.Object(
    {
      url: Type.Optional(
        Type.String({ pattern: '^https?://', maxLength: 8_000, description: 'URL of the feed' }),
      ),
      text: Type.Optional(
        Type.String({
          maxLength: 5_000_000,
          description: 'The feed itself, instead of a URL',
        }),
      ),
      etag: Type.String({
        default: '',
        maxLength: 1_000,
        description:
          'The etag from the output of an earlier run; notModified is true if the feed is unchanged',
      }),
      lastModified: Type.String({
        default: '',
        maxLength: 100,
        description: 'The lastModified from the output of an earlier run, used like etag',
      }),
      sinceDate: Type.String({
        default: '',
        maxLength: 64,
        description:
          'Only items published later than this (ISO 8601, UTC if there is no zone), or without a date',
      }),
      maxItems: Type.Integer({
        default: 100,
        minimum: 1,
        maximum: 1_000,
        description: 'How many items to output, starting with the first; hasMore says whether there are more',
      }),
      maxResponseBytes: Type.Integer({
        default: 5_242_880,
        minimum: 1,
        maximum: 6_291_456,
        description: 'A larger feed fails the node; at most 6 MiB',
      }),
    },
    { allOf: [{ anyOf: eachOf('url', 'text') }] },
  ),
  credentials: { types: ['httpBasic', 'httpBearer', 'httpHeader', 'httpQuery'] },
  example: {
    parameters: { url: 'https://blog.example.com/feed.xml', sinceDate: '{{ lastRun }}' },
    input: { lastRun: '2026-01-01' },
    output: {
      notModified: false,
      format: 'rss',
      title: 'Tea',
      link: 'https://blog.example.com/',
      description: 'All about tea',
      language: 'en',
      updated: '2026-01-05T10:00:00.000Z',
      items: [
        {
          id: 'https://blog.example.com/1',
          title: 'Green tea',
          link: 'https://blog.example.com/1',
          author: 'Ann',
          published: '2026-01-05T10:00:00.000Z',
          updated: null,
          summary: 'It is green',
          content: null,
          categories: ['tea'],
          enclosures: [],
        },
      ],
      hasMore: false,
      etag: '"a1"',
      lastModified: 'Mon, 05 Jan 2026 10:00:00 GMT',
      url: 'https://blog.example.com/feed.xml',
    },
  },
  execute: async ({ parameters, context }) => {
    const { readFeed } = await import('./read-feed.chunk.ts');
    return readFeed(parameters, context);
  },
});

export default definePlugin({
  id: 'rss',
  name: 'RSS',
  version: '1.0.0',
  description: 'Reads feeds',
  category: 'http',
  handles: [rss],
});
