import { describe, expect, test } from '@jest/globals';
import { callJsonPages, defineAction, type JsonPagesCall, type JsonValue, Type } from '../index.ts';
import { type Exchange, runNode } from '../testing/index.ts';

const url = 'https://api.acme.example/orders';

/** What a node gets of these answers, one for each page. */
const fetchAll = async (
  call: Omit<JsonPagesCall, 'url'>,
  http: readonly Exchange[],
): Promise<Readonly<Record<string, JsonValue>> | undefined> => {
  const list = defineAction({
    id: 'acmeOrders',
    name: 'List orders',
    description: 'Lists the orders',
    parameters: Type.Object({}),
    execute: ({ context }) => callJsonPages({ url, ...call }, context),
  });
  return (await runNode(list, { http })).outputs.main;
};

const page = (address: string, json: JsonValue, headers = {}): Exchange => ({
  request: { url: address },
  answer: { json, headers },
});

describe('pages of a JSON API', () => {
  test('are found by the header Link', async () => {
    const http = [
      page(`${url}?state=open`, [1, 2], { Link: '<?state=open&page=2>; rel="next"' }),
      page(`${url}?state=open&page=2`, [3]),
    ];
    const found = await fetchAll({ query: { state: 'open' }, pagination: 'link' }, http);
    expect(found).toEqual({ items: [1, 2, 3], pages: 2, pagesEnd: 'complete' });
  });

  test('are found by a cursor in the body', async () => {
    const http = [
      page(url, { data: [1], meta: { next: 'c 2' } }),
      page(`${url}?after=c+2`, { data: [2], meta: { next: null } }),
    ];
    const call = {
      items: '/data',
      next: '/meta/next',
      pageParameter: 'after',
      pagination: 'cursor',
    } as const;
    expect(await fetchAll(call, http)).toEqual({ items: [1, 2], pages: 2, pagesEnd: 'complete' });
  });

  test('are found by number, until one is empty', async () => {
    const http = [page(`${url}?page=1`, [1]), page(`${url}?page=2`, [2]), page(`${url}?page=3`, [])];
    expect(await fetchAll({ pagination: 'page' }, http)).toMatchObject({
      items: [1, 2],
      pagesEnd: 'complete',
    });
  });

  test('end with the items or pages that are asked for', async () => {
    const http = [page(`${url}?page=1`, [1, 2]), page(`${url}?page=2`, [3, 4])];
    const few = { pagination: 'page', maxItems: 3 } as const;
    expect(await fetchAll(few, http)).toEqual({ items: [1, 2, 3], pages: 2, pagesEnd: 'maxItems' });
    const one = { pagination: 'page', maxPages: 1 } as const;
    expect(await fetchAll(one, http.slice(0, 1))).toMatchObject({ items: [1, 2], pagesEnd: 'maxPages' });
  });

  test('on another origin are not fetched, which would get the credential', async () => {
    const http = [page(url, [1], { Link: '<https://evil.example/>; rel="next"' })];
    expect(await fetchAll({ pagination: 'link' }, http)).toMatchObject({
      items: [1],
      pagesEnd: 'otherOrigin',
    });
  });

  test('without a list fail the node, with what is wrong and nothing of the answer', async () => {
    const found = fetchAll({ pagination: 'link', items: '/data' }, [page(url, { secret: 'a-secret' })]);
    await expect(found).rejects.toMatchObject({
      message: 'api.acme.example answered without what "items" says: the JSON pointer of a list in each page',
      isRetryable: false,
    });
  });

  test('of a service in trouble are asked for again', async () => {
    const busy = [page(url, []), { request: { url }, answer: { status: 503 } }].slice(1);
    await expect(fetchAll({ pagination: 'link' }, busy)).rejects.toMatchObject({ isRetryable: true });
  });
});
