import type { JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rss } from '../../../nodes/rss/rss.plugin.ts';
import { aCallingContext, callNode, failureOf } from '../../support/a-calling-context.ts';
import { aLocalServer, type LocalServer, redirectTo } from '../../support/a-local-server.ts';

const feed = `<rss version="2.0"><channel><title>T</title>
  <item><title>new</title><link>/new</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate></item>
  <item><title>old</title><pubDate>Sun, 04 Jan 2026 10:00:00 GMT</pubDate></item></channel></rss>`;

const validators = { etag: '"a1"', 'last-modified': 'Mon, 05 Jan 2026 10:00:00 GMT' };

let server: LocalServer;

beforeAll(async () => {
  server = await aLocalServer({
    '/feed': ({ headers }, response) => {
      const isSame =
        headers['if-none-match'] === validators.etag ||
        headers['if-modified-since'] === validators['last-modified'];
      response.writeHead(isSame ? 304 : 200, { 'content-type': 'application/rss+xml', ...validators });
      response.end(isSame ? undefined : feed);
    },
    '/latin1': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(
        Buffer.from(
          '<?xml version="1.0" encoding="iso-8859-1"?><rss><channel><title>ü</title></channel></rss>',
          'latin1',
        ),
      );
    },
    '/moved': redirectTo(301, '/feed'),
    '/bare-304': (_request, response) => void response.writeHead(304).end(),
    '/busy': (_request, response) => void response.writeHead(503, { 'retry-after': '9' }).end('later'),
    '/gone': (_request, response) => void response.writeHead(410).end(),
    '/page': (_request, response) => void response.writeHead(200).end('<html></html>'),
  });
});

afterAll(() => server.close());

const run = async (path: string, parameters: JsonObject = {}): Promise<JsonObject> =>
  callNode(rss, { url: `${server.origin}${path}`, ...parameters }, await aCallingContext());

test('reads a feed from where it has moved', async () => {
  expect(await run('/moved')).toMatchObject({
    notModified: false,
    title: 'T',
    items: [{ title: 'new', link: `${server.origin}/new` }, { title: 'old' }],
    etag: '"a1"',
    lastModified: 'Mon, 05 Jan 2026 10:00:00 GMT',
    url: `${server.origin}/feed`,
  });
});

test('reads a feed in another encoding', async () => {
  expect(await run('/latin1')).toMatchObject({ title: 'ü', etag: '', lastModified: '' });
});

test('reads a feed from text', async () => {
  const output = await callNode(rss, { text: feed, maxItems: 1 }, await aCallingContext());
  expect(output).toMatchObject({ items: [{ title: 'new', link: '/new' }], hasMore: true, url: null });
});

test('reads items since a date', async () => {
  expect(await run('/feed', { sinceDate: '2026-01-04T10:00:00Z' })).toMatchObject({
    items: [{ title: 'new' }],
  });
});

test('sends a credential', async () => {
  const credential = { type: 'httpBearer', secret: { token: 'canary' } };
  await callNode(rss, { url: `${server.origin}/feed` }, await aCallingContext(credential));
  expect(server.received.at(-1)?.headers).toMatchObject({ authorization: 'Bearer canary' });
});

describe('a conditional request', () => {
  const unchanged = { notModified: true, title: null, items: [], hasMore: false };

  test('finds nothing new with the output of an earlier run', async () => {
    const { etag = '', lastModified = '' } = await run('/feed');
    expect(await run('/feed', { etag, lastModified })).toMatchObject({ ...unchanged, etag, lastModified });
    expect(await run('/feed', { etag })).toMatchObject(unchanged);
    expect(await run('/feed', { lastModified })).toMatchObject(unchanged);
    expect(await run('/feed', { etag: '"a0"' })).toMatchObject({ notModified: false });
  });

  test('keeps its earlier values when the response has none', async () => {
    const given = { etag: '"x"', lastModified: 'Mon, 05 Jan 2026 10:00:00 GMT' };
    expect(await run('/bare-304', given)).toMatchObject({ ...unchanged, ...given });
  });
});

test.each([
  ['/busy', { isRetryable: true, retryAfterMs: 9_000, details: { status: 503, body: 'later' } }],
  ['/gone', { isRetryable: false, details: { status: 410 } }],
  ['/page', { name: 'NotAFeed', isRetryable: false }],
])('%s fails', async (path, failure) => {
  expect(await failureOf(run(path))).toMatchObject(failure);
});

test('a feed above the size limit is not received', async () => {
  await expect(run('/feed', { maxResponseBytes: 100 })).rejects.toMatchObject({ code: 'OUTBOUND_TOO_LARGE' });
});

test.each<[JsonObject, string]>([
  [{}, 'Parameter "url" must be a URL, unless text is given, got nothing'],
  [{ url: 'https://x.example/', text: '' }, 'Parameter "text" must be absent when url is given, got string'],
  [
    { text: feed, sinceDate: 'soon' },
    'Parameter "sinceDate" must be a date such as 2026-01-05T10:00:00Z, got string',
  ],
  [{ url: 'file:///etc/passwd' }, 'Parameter "url" must'],
  [{ text: feed, maxItems: 0 }, 'Parameter "maxItems" must be an integer from 1 to 1000'],
])('%j is refused', async (parameters, problem) => {
  await expect(callNode(rss, parameters, await aCallingContext())).rejects.toThrow(problem);
});
