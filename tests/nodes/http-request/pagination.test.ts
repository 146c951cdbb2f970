import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { httpRequest } from '../../../nodes/http-request/http-request.plugin.ts';
import { aLocalServer, type LocalServer, type ReceivedRequest } from '../../support/a-local-server.ts';
import { aNodeContext, runNode } from '../../support/a-node-context.ts';

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
  return runNode(httpRequest, 'httpRequest', { url, ...parameters }, {}, { ...context, services });
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

  test('by an expression over the answer, until it has no result, as with Stripe', async () => {
    const server = await aServer((query) => {
      const number = Number((query.get('starting_after') ?? '0').slice(0, 1)) + 1;
      return { body: { has_more: number < 3, data: pageOf(number).map((id) => ({ id })) } };
    });
    const parameters = {
      pagination: 'cursor',
      items: '/data',
      pageParameter: 'starting_after',
      next: 'body.has_more ? body.data[-1].id',
    };
    expect(await fetchList(server, parameters)).toEqual({
      items: allItems.map((id) => ({ id })),
      pages: 3,
      pagesEnd: 'complete',
    });
    expect(queriesOf(server)).toEqual(['', '?starting_after=1b', '?starting_after=2b']);
  });

  test('by an expression over the headers', async () => {
    const server = await aServer((query) => {
      const number = Number(query.get('page') ?? 1);
      return { body: pageOf(number), headers: { 'x-next-page': number < 3 ? String(number + 1) : '' } };
    });
    const parameters = { pagination: 'cursor', pageParameter: 'page', next: 'headers.`x-next-page`' };
    expect(await fetchList(server, parameters)).toMatchObject({ items: allItems, pages: 3 });
  });

  test('by number, until the answer says that there are no more', async () => {
    const server = await aServer((query) => {
      const number = Number(query.get('page'));
      return { body: { page: number, pages: 3, rows: number === 2 ? [] : pageOf(number) } };
    });
    for (const next of ['body.page < body.pages', 'body.(page < pages)'])
      expect(await fetchList(server, { pagination: 'page', items: '/rows', next })).toEqual({
        items: ['1a', '1b', '3a', '3b'],
        pages: 3,
        pagesEnd: 'complete',
      });
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
    expect(await fetchList(server, parameters)).toEqual({ items: [1], pages: 2, pagesEnd: 'loop' });
  });

  test('when a page number has no effect', async () => {
    const server = await aServer(() => ({ body: [1] }));
    const output = await fetchList(server, { pagination: 'page', maxPages: 5 });
    expect(output).toEqual({ items: [1], pages: 2, pagesEnd: 'loop' });
  });

  test.each<[string, (number: number) => number]>([
    ['the last page', (number) => Math.min(number, 3)],
    ['the first page', (number) => (number > 3 ? 1 : number)],
  ])('when %s comes again after the last one', async (_case, toNumber) => {
    const server = await aServer((query) => ({ body: pageOf(toNumber(Number(query.get('page')))) }));
    expect(await fetchList(server, { pagination: 'page' })).toEqual({
      items: allItems,
      pages: 4,
      pagesEnd: 'loop',
    });
  });

  test('at an item that differs, since that is another page', async () => {
    const server = await aServer((query) => {
      const number = Number(query.get('page'));
      return { body: number > 3 ? [] : [{ total: 0 }, { total: number === 3 ? 1 : 0, at: number }] };
    });
    expect(await fetchList(server, { pagination: 'page' })).toMatchObject({ pages: 4, pagesEnd: 'complete' });
  });

  test.each<[string, Answer, number]>([
    ['is not found', { status: 404, body: { detail: 'Invalid page.' } }, 3],
    ['is null', { body: null }, 4],
    ['is an empty map', { body: {} }, 4],
  ])('at a page that %s', async (_case, last, pages) => {
    const server = await aServer((query) => {
      const number = Number(query.get('page'));
      return number > 3 ? last : { body: pageOf(number) };
    });
    for (const failOnStatus of [true, false])
      expect(await fetchList(server, { pagination: 'page', failOnStatus })).toEqual({
        items: allItems,
        pages,
        pagesEnd: 'complete',
      });
  });

  test('at null for the items of a later page', async () => {
    const server = await aServer((query) => {
      const [body, next] = query.has('cursor') ? [null, null] : [['a'], 'x'];
      return { body: { data: body, next } };
    });
    const parameters = { pagination: 'cursor', items: '/data', next: '/next' };
    expect(await fetchList(server, parameters)).toEqual({ items: ['a'], pages: 2, pagesEnd: 'complete' });
  });

  test('at a cursor of 0 after the last page, which leads to the first one', async () => {
    const next = new Map([
      [null, 7],
      ['0', 7],
      ['7', 9],
      ['9', 0],
    ]);
    const numbers = new Map([
      ['7', 2],
      ['9', 3],
    ]);
    const server = await aServer((query) => {
      const cursor = query.get('cursor');
      return { body: { items: pageOf(numbers.get(cursor ?? '') ?? 1), next: next.get(cursor) ?? null } };
    });
    const parameters = { pagination: 'cursor', next: '/next', items: '/items' };
    expect(await fetchList(server, parameters)).toEqual({ items: allItems, pages: 4, pagesEnd: 'loop' });
  });

  test('not at a cursor of 0 that leads to another page', async () => {
    const server = await aServer((query) => {
      const left = Number(query.get('cursor') ?? 2);
      return { body: { items: pageOf(3 - left), left: left === 0 ? null : left - 1 } };
    });
    const parameters = { pagination: 'cursor', next: '/left', items: '/items' };
    expect(await fetchList(server, parameters)).toEqual({ items: allItems, pages: 3, pagesEnd: 'complete' });
  });

  test('with "maxItems" only if an item was left out', async () => {
    const answerOf = (query: URLSearchParams) => ({ body: pageOf(Number(query.get('page'))) });
    for (const [maxItems, pagesEnd] of [
      [6, 'complete'],
      [5, 'maxItems'],
    ] as const)
      expect(await fetchList(await aServer(answerOf), { pagination: 'page', maxItems })).toMatchObject({
        items: allItems.slice(0, maxItems),
        pagesEnd,
      });
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
      query.get('page') === '7' ? { status: 500, body: { why: 'disk' } } : { body: [query.get('page')] },
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
      'Parameter "next" must be the JSON pointer or an expression of a URL, got array',
    ],
    [
      { pagination: 'link', items: '/list', next: '/bad' },
      'Parameter "next" must be the JSON pointer or an expression of a URL, got string',
    ],
    [
      { pagination: 'cursor', items: '/list', next: '/list' },
      'Parameter "next" must be the JSON pointer or an expression of a text or a number, got array',
    ],
    [
      { pagination: 'cursor', items: '/list', next: '$number(body.page)' },
      'Parameter "next" failed: Unable to cast value to a number: "x" (character 8)',
    ],
  ])('on a page that does not match %j', async (parameters, message) => {
    const server = await aServer(() => ({ body: { list: [], page: 'x', bad: 'http://[' } }));
    await expect(fetchList(server, parameters)).rejects.toThrow(new TypeError(message));
  });

  test.each<[JsonObject, string]>([
    [
      { pagination: 'cursor' },
      'Parameter "next" must be the JSON pointer or an expression of the cursor, got nothing',
    ],
    [
      { pagination: 'cursor', next: 'body.(' },
      'Parameter "next" is no expression: Expected ")" before end of expression (character 6)',
    ],
    [{ pagination: 'link', items: 'data' }, 'Parameter "items" must be a JSON pointer such as "/data/items"'],
    [
      { pagination: 'link', next: 'next' },
      'Parameter "next" must be a JSON pointer such as "/meta/next", or an expression over the answer such as body.meta.next',
    ],
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
    const server = await aServer((query) => ({ body: [query.get('page'), 'x'.repeat(6_000_000)] }));
    const parameters = { pagination: 'page', maxResponseBytes: 6 * 1024 * 1024 };
    await expect(fetchList(server, parameters)).rejects.toMatchObject({
      message: 'the pages have more than 33554432 bytes',
      isRetryable: false,
    });
    expect(server.received).toHaveLength(6);
  });
});

test.each([
  ['', []],
  ['/meta/next', []],
  ['/{{ $vars.key }}/next', []],
  ['{{ $vars.next }}', []],
  ['body.has_more ? body.data[-1].id', []],
  ['meta.next', [/^must be a JSON pointer such as/]],
  ['body.(', [/^is no expression: Expected/]],
])('a stored next of %j has these problems: %j', async (next, messages) => {
  const problems = (await httpRequest.checkParameters?.({ next })) ?? [];
  expect(problems).toEqual(
    messages.map((message) => ({ path: '/next', message: expect.stringMatching(message) })),
  );
});
