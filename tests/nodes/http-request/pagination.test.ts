import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import httpRequest from '../../../nodes/http-request/http-request.ts';
import { aLocalServer, type LocalServer, type ReceivedRequest } from '../../support/a-local-server.ts';
import { aNodeContext, runNode } from '../../support/a-node-context.ts';

const executor = await httpRequest.getExecutor();
const servers: LocalServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

/** A server that answers `/list` by its query. */
const aServer = async (answer: (query: URLSearchParams, request: ReceivedRequest) => Answer) => {
  const server = await aLocalServer({
    '/list': (request, response) => {
      const { status = 200, headers, body } = answer(new URL(request.url, 'http://x').searchParams, request);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    },
  });
  servers.push(server);
  return server;
};

const fetchList = (server: LocalServer, parameters: JsonObject) => {
  const context = aNodeContext();
  const http = createHttpClient({ allow: ['127.0.0.1'] });
  const services = { ...context.services, http };
  const url = `${server.origin}/list`;
  return runNode(executor, 'httpRequest', { url, ...parameters }, {}, { ...context, services });
};

const queriesOf = ({ received }: LocalServer) => received.map(({ url }) => url.slice('/list'.length));

/** Three pages of two items, by number. */
const pageOf = (number: number): readonly string[] =>
  number < 1 || number > 3 ? [] : [`${number}a`, `${number}b`];
const allItems = ['1a', '1b', '2a', '2b', '3a', '3b'];

/** Pages with a `Link` header to the next one; the last one leads to `last`. */
const aLinkedList = (last: string | null = null) =>
  aServer((query) => {
    const number = Number(query.get('page') ?? 1);
    const next = number < 3 ? `?page=${number + 1}` : last;
    return {
      body: pageOf(number),
      headers: next === null ? {} : { link: `</list>; rel="first", <${next}>; rel="next"` },
    };
  });

describe('httpRequest follows pages', () => {
  test('by the Link header', async () => {
    const server = await aLinkedList();
    expect(await fetchList(server, { pagination: 'link', headers: { 'x-a': 'b' } })).toEqual({
      items: allItems,
      pages: 3,
      pagesEnd: 'complete',
    });
    expect(queriesOf(server)).toEqual(['', '?page=2', '?page=3']);
    expect(server.received.map(({ headers }) => headers['x-a'])).toEqual(['b', 'b', 'b']);
  });

  test('by a URL in the body, without the query of the first one', async () => {
    const server = await aServer((query) => {
      const number = Number(query.get('at') ?? 1);
      return {
        body: { data: pageOf(number), paging: { next: number < 3 ? `/list?at=${number + 1}` : null } },
      };
    });
    const parameters = { pagination: 'link', next: '/paging/next', items: '/data', query: { size: 2 } };
    expect(await fetchList(server, parameters)).toEqual({ items: allItems, pages: 3, pagesEnd: 'complete' });
    expect(queriesOf(server)).toEqual(['?size=2', '?at=2', '?at=3']);
  });

  test.each([null, false, '', undefined])('by a URL in the body, until that is %p', async (next) => {
    const server = await aServer(() => ({ body: { data: [1], ...(next === undefined ? {} : { next }) } }));
    for (const pagination of ['link', 'cursor'])
      expect(await fetchList(server, { pagination, next: '/next', items: '/data' })).toEqual({
        items: [1],
        pages: 1,
        pagesEnd: 'complete',
      });
  });

  test('by a cursor, with the query of the first one', async () => {
    const cursors = new Map([
      [null, 1],
      ['a b', 2],
      ['7', 3],
    ]);
    const following = ['a b', 7, false];
    const server = await aServer((query) => {
      const number = cursors.get(query.get('after')) ?? 0;
      return { body: { items: pageOf(number), more: following[number - 1] ?? null } };
    });
    const parameters = { pagination: 'cursor', next: '/more', items: '/items', pageParameter: 'after' };
    expect(await fetchList(server, { ...parameters, query: { size: 2 } })).toEqual({
      items: allItems,
      pages: 3,
      pagesEnd: 'complete',
    });
    expect(queriesOf(server)).toEqual(['?size=2', '?size=2&after=a+b', '?size=2&after=7']);
  });

  test('by number, until a page is empty', async () => {
    const server = await aServer((query) => ({ body: pageOf(Number(query.get('page'))) }));
    expect(await fetchList(server, { pagination: 'page' })).toEqual({
      items: allItems,
      pages: 4,
      pagesEnd: 'complete',
    });
    expect(queriesOf(server)).toEqual(['?page=1', '?page=2', '?page=3', '?page=4']);
  });

  test('by offset', async () => {
    const server = await aServer((query) => ({ body: pageOf(Number(query.get('offset')) / 2 + 1) }));
    const parameters = { pagination: 'page', pageParameter: 'offset', firstPage: 0, pageStep: 2 };
    expect(await fetchList(server, parameters)).toMatchObject({ items: allItems });
    expect(queriesOf(server)).toEqual(['?offset=0', '?offset=2', '?offset=4', '?offset=6']);
  });

  test('with their own idempotency keys, the same in every attempt', async () => {
    const server = await aLinkedList();
    await fetchList(server, { pagination: 'link', idempotencyKey: true });
    expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'execution-1/node-1/0',
      'execution-1/node-1/0/page-2',
      'execution-1/node-1/0/page-3',
    ]);
  });
});

describe('the pages of httpRequest end', () => {
  test.each([
    [{ maxPages: 2 }, { items: ['1a', '1b', '2a', '2b'], pages: 2, pagesEnd: 'maxPages' }],
    [{ maxItems: 3 }, { items: ['1a', '1b', '2a'], pages: 2, pagesEnd: 'maxItems' }],
    [{ maxItems: 6 }, { items: allItems, pages: 3, pagesEnd: 'complete' }],
  ])('at the limits %j', async (bounds, output) => {
    expect(await fetchList(await aLinkedList(), { pagination: 'link', ...bounds })).toEqual(output);
  });

  test.each(['/list', '/list#top', '?page=2', '?page=3'])('at a cycle of links: %s', async (link) => {
    const server = await aLinkedList(link);
    expect(await fetchList(server, { pagination: 'link' })).toEqual({
      items: allItems,
      pages: 3,
      pagesEnd: 'loop',
    });
    expect(server.received).toHaveLength(3);
  });

  test('at a cursor that repeats', async () => {
    const server = await aServer(() => ({ body: { items: [1], next: 'same' } }));
    const parameters = { pagination: 'cursor', next: '/next', items: '/items' };
    expect(await fetchList(server, parameters)).toEqual({ items: [1, 1], pages: 2, pagesEnd: 'loop' });
  });

  test('at the limit when a page number has no effect', async () => {
    const server = await aServer(() => ({ body: [1] }));
    const output = await fetchList(server, { pagination: 'page', maxPages: 5 });
    expect(output).toEqual({ items: [1, 1, 1, 1, 1], pages: 5, pagesEnd: 'maxPages' });
  });

  test('at another origin, which receives nothing', async () => {
    const other = await aLinkedList();
    const server = await aLinkedList(`${other.origin}/list`);
    expect(await fetchList(server, { pagination: 'link' })).toMatchObject({
      items: allItems,
      pagesEnd: 'otherOrigin',
    });
    expect(other.received).toEqual([]);
  });
});

describe('the pages of httpRequest fail', () => {
  test('with the status and the number of the page', async () => {
    const server = await aServer((query) =>
      query.get('page') === '7' ? { status: 500, body: { why: 'disk' } } : { body: [1] },
    );
    await expect(fetchList(server, { pagination: 'page' })).rejects.toMatchObject({
      name: 'HttpStatusError',
      message: `127.0.0.1:${server.port} answered 500 for page 7`,
      isRetryable: true,
      details: { status: 500, body: { why: 'disk' }, page: 7 },
    });
  });

  test.each<[JsonObject, string]>([
    [
      { pagination: 'link', items: '/data' },
      'Parameter "items" must be the JSON pointer of a list in each page, got nothing',
    ],
    [
      { pagination: 'link', items: '/page' },
      'Parameter "items" must be the JSON pointer of a list in each page, got string',
    ],
    [
      { pagination: 'link', items: '/list', next: '/list' },
      'Parameter "next" must be the JSON pointer of a URL, got array',
    ],
    [
      { pagination: 'link', items: '/list', next: '/bad' },
      'Parameter "next" must be the JSON pointer of a URL, got string',
    ],
    [
      { pagination: 'cursor', items: '/list', next: '/list' },
      'Parameter "next" must be the JSON pointer of a text or a number, got array',
    ],
  ])('on a page that does not match %j', async (parameters, message) => {
    const server = await aServer(() => ({ body: { list: [], page: 'x', bad: 'http://[' } }));
    await expect(fetchList(server, parameters)).rejects.toThrow(new TypeError(message));
  });

  test.each<[JsonObject, string]>([
    [{ pagination: 'cursor' }, 'Parameter "next" must be the JSON pointer of the cursor, got nothing'],
    [{ pagination: 'link', items: 'data' }, 'Parameter "items" must be a JSON pointer such as "/data/items"'],
    [{ pagination: 'link', next: 'next' }, 'Parameter "next" must be a JSON pointer such as "/data/items"'],
    [
      { pagination: 'page', responseType: 'text' },
      'Parameter "responseType" must be auto or json with pagination, got string',
    ],
    [
      { pagination: 'page', maxPages: 0 },
      'Parameter "maxPages" must be an integer from 1 to 1000, got another number',
    ],
    [
      { pagination: 'page', maxItems: 100_001 },
      'Parameter "maxItems" must be an integer from 1 to 100000, got another number',
    ],
    [{ pagination: 'pages' }, 'Parameter "pagination" must be one of none, link, cursor, page, got string'],
  ])('before anything is sent: %j', async (parameters, message) => {
    const server = await aLinkedList();
    await expect(fetchList(server, parameters)).rejects.toThrow(message);
    expect(server.received).toEqual([]);
  });

  test('when they are larger than a node’s output may be', async () => {
    const server = await aServer(() => ({ body: ['x'.repeat(6_000_000)] }));
    const parameters = { pagination: 'page', maxResponseBytes: 6 * 1024 * 1024 };
    await expect(fetchList(server, parameters)).rejects.toMatchObject({
      message: 'the pages have more than 33554432 bytes',
      isRetryable: false,
    });
    expect(server.received).toHaveLength(6);
  });
});
