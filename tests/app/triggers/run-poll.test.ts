import { createPollTrigger, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { unified } from '../../../lib/plugins/installed-plugin.ts';
import { STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aLocalServer, type LocalServer, type Routes } from '../../support/a-local-server.ts';
import { aPollService, aPollWorkflow } from '../../support/a-poll-service.ts';
import { cases } from '../../support/deep.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();
const servers: LocalServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const answer = (body: JsonValue, headers: Readonly<Record<string, string>> = {}): Routes[string] => {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
};

/** A server whose list of items a test changes, and a service that polls it. */
const aSource = async (
  parameters: JsonObject = {},
  changes: Parameters<typeof aPollWorkflow>[1] = {},
  routes: (state: { items: JsonValue }) => Routes = (state) => ({
    '/': (request, response) => answer({ data: state.items })(request, response),
  }),
) => {
  const state: { items: JsonValue } = { items: [] };
  const server = await aLocalServer(routes(state));
  servers.push(server);
  const database = await openDatabase();
  const service = await aPollService(database);
  const workflow = aPollWorkflow(
    { url: `${server.origin}/`, items: '/data', itemKey: 'id', ...parameters },
    changes,
  );
  await service.put(workflow);
  return {
    ...service,
    server,
    workflow,
    /** Removes a key, as DynamoDB does some time after it has expired. */
    forget: (key: string) =>
      database.client.deleteItem({
        TableName: database.tables.state,
        Key: { scope: { S: 'workflow:news' }, place: { S: `feed/${key}` } },
      }),
    has: (...ids: readonly string[]) => {
      state.items = ids.map((id) => ({ id }));
    },
    hasItems: (items: JsonValue) => {
      state.items = items;
    },
  };
};

const each = (...ids: readonly string[]) => ids.map((id) => [id]);

describe('new items', () => {
  test('start one execution each: none, one and three', async () => {
    const source = await aSource();
    source.has('a', 'b');
    await source.poll();
    expect(await source.started()).toEqual([]);
    await source.poll();
    expect(await source.started()).toEqual([]);
    source.has('c', 'a', 'b');
    await source.poll();
    expect(await source.started()).toEqual(each('c'));
    source.has('f', 'e', 'd', 'c');
    await source.poll();
    expect(await source.started()).toEqual(each('c', 'd', 'e', 'f'));
    expect(source.dispatched.length).toBe(4);
    expect(await source.result()).toMatchObject({ found: 4, started: 3, failure: null, running: null });
  });

  test('are the input of the trigger, with their key', async () => {
    const source = await aSource({ firstPoll: 'all' });
    source.hasItems([{ id: 7, total: 120 }]);
    await source.poll();
    const [record] = await source.records();
    expect(record?.trigger).toEqual({ nodeId: 'feed', type: 'pollTrigger' });
    expect(await source.inputOf(record ?? { executionId: '' })).toEqual({
      item: { id: 7, total: 120 },
      key: '7',
      polledAt: '2023-11-14T22:13:20.000Z',
    });
  });

  test('are all that are there at the first poll, if it is to start with all', async () => {
    const source = await aSource({ firstPoll: 'all' });
    source.has('a', 'b');
    await source.poll();
    await source.poll();
    expect(await source.started()).toEqual(each('a', 'b'));
  });

  test('start one execution together, if the trigger is per batch', async () => {
    const source = await aSource({ perBatch: true });
    source.has('a');
    await source.poll();
    source.has('c', 'b', 'a');
    await source.poll();
    await source.poll();
    source.has('d', 'c');
    await source.poll();
    expect(await source.started()).toEqual([['b', 'c'], ['d']]);
  });

  test('are found after a restart of the service: what is seen is in the table', async () => {
    const database = await openDatabase();
    const server = await aLocalServer({ '/': answer(['a', 'b']) });
    servers.push(server);
    const first = await aPollService(database);
    await first.put(aPollWorkflow({ url: `${server.origin}/`, firstPoll: 'all' }));
    await first.poll('one');
    const second = await aPollService(database);
    await second.poll('two');
    expect(await second.started()).toEqual(each('a', 'b'));
    expect(second.dispatched).toEqual([]);
  });

  test('of a key that is there twice start one execution, with the first item', async () => {
    const source = await aSource({ firstPoll: 'all' });
    source.hasItems([
      { id: 'a', n: 1 },
      { id: 'a', n: 2 },
    ]);
    await source.poll();
    const [record] = await source.records();
    expect(await source.started()).toEqual(each('a'));
    expect(await source.inputOf(record ?? { executionId: '' })).toMatchObject({ item: { n: 1 } });
  });

  test('are those of all pages', async () => {
    const source = await aSource({ pagination: 'link', firstPoll: 'all' }, {}, () => ({
      '/': answer({ data: [{ id: 'a' }] }, { link: '</2>; rel="next"' }),
      '/2': answer({ data: [{ id: 'b' }] }),
    }));
    await source.poll();
    expect(await source.started()).toEqual(each('a', 'b'));
  });

  test('are new again once an operator has deleted the key', async () => {
    const source = await aSource({ firstPoll: 'all' });
    source.has('a');
    await source.poll();
    const found = await source.stores.state.find('workflow:news', 'feed/a');
    if (found === null) throw new Error('the key is not marked');
    const deleted = { ...found, content: { kind: 'deleted' }, version: found.version + 1 } as const;
    await source.stores.state.put(deleted, found.version);
    await source.poll();
    expect(await source.started()).toEqual(each('a', 'a'));
  });
});

const DAY_MS = 86_400_000;

test('a key is remembered as long as its item is there, and for its time to live after that', async () => {
  const source = await aSource({ firstPoll: 'all', ttlSeconds: 10 * 86_400 });
  source.has('a');
  for (let day = 0; day < 30; day++) {
    await source.poll();
    source.clock.advance(DAY_MS);
  }
  source.has();
  await source.poll();
  source.clock.advance(4 * DAY_MS);
  source.has('a');
  await source.poll();
  expect(source.dispatched.length).toBe(1);
  source.has();
  await source.poll();
  source.clock.advance(60 * DAY_MS);
  source.has('a');
  await source.poll();
  expect(source.dispatched.length).toBe(2);
});

test('an item that comes back after DynamoDB has removed its key starts again, each time once', async () => {
  const source = await aSource({ firstPoll: 'all', ttlSeconds: 3_600 });
  for (let count = 1; count <= 3; count++) {
    source.has('a');
    await source.poll();
    await source.poll();
    expect(await source.started()).toHaveLength(count);
    source.has();
    source.clock.advance(3_600_000);
    await source.forget('a');
  }
});

test('an item that has come back starts once, wherever its poll was killed, also in the next period', async () => {
  for (let calls = 0; ; calls++) {
    const source = await aSource({ firstPoll: 'all', ttlSeconds: 3_600 });
    source.has('a');
    await source.poll();
    // The next period of an hour begins 16 minutes later.
    source.clock.advance(7_200_000 - (source.clock.now() % 3_600_000) + 3_600_000 - 960_000);
    await source.forget('a');
    const made = await source.killAfter(calls, () => source.poll('killed'));
    source.clock.advance(960_000);
    await source.poll('next');
    await source.poll('last');
    expect([calls, (await source.started()).length]).toEqual([calls, 2]);
    if (made !== null) break;
  }
});

describe('a poll that fails', () => {
  const brokenPage: Parameters<typeof aSource>[2] = () => ({
    '/': answer({ data: [{ id: 'a' }] }, { link: '</2>; rel="next"' }),
    '/2': (_request, response) => void response.writeHead(500).end('broken'),
  });

  test('is a failed execution of the workflow, and starts and marks nothing', async () => {
    const source = await aSource({ pagination: 'link', firstPoll: 'all' }, {}, brokenPage);
    await source.poll();
    const [record, ...others] = await source.records();
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      status: 'failed',
      trigger: { nodeId: 'feed', type: 'pollTrigger' },
      failure: { nodeId: 'feed', name: 'HttpStatusError' },
    });
    expect(source.events.published).toEqual([`${record?.executionId} failed`]);
    expect(await source.result()).toMatchObject({
      since: null,
      failure: { name: 'HttpStatusError', executionId: record?.executionId },
      running: null,
    });
    expect(await source.stores.state.find('workflow:news', 'feed/a')).toBeNull();
    expect(await source.inputOf(record ?? { executionId: '' })).toBeNull(); // a retry would have nothing to run
  });

  test('is caught up by the next one', async () => {
    let isBroken = true;
    const source = await aSource({ firstPoll: 'all' }, {}, () => ({
      '/': (request, response) =>
        isBroken
          ? void response.writeHead(503).end()
          : answer({ data: [{ id: 'a' }, { id: 'b' }] })(request, response),
    }));
    await source.poll();
    isBroken = false;
    await source.poll();
    expect(await source.started()).toEqual(each('a', 'b'));
  });

  test('is repeated as the settings of the trigger say', async () => {
    let requests = 0;
    const source = await aSource(
      { firstPoll: 'all' },
      { settings: { retry: { maxAttempts: 3, intervalSeconds: 0 } } },
      () => ({
        '/': (request, response) => {
          requests += 1;
          if (requests < 3) response.writeHead(503, { 'retry-after': '1' }).end();
          else answer({ data: [{ id: 'a' }] })(request, response);
        },
      }),
    );
    await source.poll();
    expect(requests).toBe(3);
    expect(await source.started()).toEqual(each('a'));
  });

  test('without a new item, a poll that succeeds leaves no execution and publishes nothing', async () => {
    const source = await aSource();
    source.has('a');
    await source.poll();
    await source.poll();
    expect(await source.records()).toEqual([]);
    expect(source.events.published).toEqual([]);
  });

  const bad: Readonly<Record<string, readonly [JsonValue, string, string]>> = {
    'no list': [
      { id: 'a' },
      'TypeError',
      'Parameter "items" must be the JSON pointer of a list in the answer',
    ],
    'an item without a key': [
      [{ id: 'a' }, { name: 'b' }],
      'TypeError',
      'Parameter "items[1].id" must be a string or a number, got nothing',
    ],
    'a key of more than a kilobyte': [
      [{ id: 'a' }, { id: 'k'.repeat(1_025) }],
      'ItemKeyInvalid',
      'The key of items[1] has 1025 bytes; at most 950 are allowed',
    ],
    'an empty key': [
      [{ id: '' }],
      'ItemKeyInvalid',
      'The key of items[0] must be a string that is not empty',
    ],
    'too many items': [
      Array.from({ length: 1_001 }, (_, id) => ({ id })),
      'TooManyItems',
      'The answer has 1001 items; at most 1000 are allowed',
    ],
  };
  test.each(Object.keys(bad))('says what is wrong and where, and does nothing: %s', async (name) => {
    const [items, failure, message] = bad[name] ?? [null, '', ''];
    const source = await aSource({ firstPoll: 'all' });
    source.hasItems(items);
    await source.poll();
    const [record] = await source.records();
    expect(record?.failure?.name).toBe(failure);
    expect(record?.failure?.message).toContain(message);
    expect(await source.started()).toEqual([]);
    expect(await source.stores.state.find('workflow:news', 'feed/a')).toBeNull();
  });
});

test.each([false, true])(
  'an item that is nested too deeply fails by itself (per batch: %s)',
  async (perBatch) => {
    const source = await aSource({ firstPoll: 'all', perBatch });
    let deep: JsonValue = 1;
    for (let level = 0; level < 40; level++) deep = [deep];
    source.hasItems([{ id: 'a' }, { id: 'deep', deep }, { id: 'b' }]);
    await source.poll();
    await source.poll();
    expect(await source.started()).toEqual(perBatch ? [['a', 'b']] : each('a', 'b'));
    expect((await source.records()).length).toBe(perBatch ? 2 : 3);
  },
);

describe('polls', () => {
  test('of one trigger do not overlap: the second does nothing, and the next one catches up', async () => {
    const source = await aSource({ firstPoll: 'all' });
    source.has('a', 'b');
    await Promise.all([source.poll('one'), source.poll('two')]);
    expect(await source.started()).toEqual(each('a', 'b'));
    expect(source.dispatched.length).toBe(2);
    expect(source.entries.map(({ message }) => message)).toContain('The poll does nothing.');
    source.has('c');
    await source.poll();
    expect(await source.started()).toEqual(each('a', 'b', 'c'));
  });

  test('begin anew once somebody has put another value in place of their result', async () => {
    const source = await aSource({ firstPoll: 'fromNow' });
    source.has('a');
    await source.poll();
    const found = await source.stores.state.find('workflow:news', 'feed');
    if (found === null) throw new Error('no result was noted');
    const put = { ...found, version: found.version + 1, content: { kind: 'value', value: 'new' } } as const;
    await source.stores.state.put(put, found.version);
    source.has('b', 'a');
    await source.poll();
    expect(await source.started()).toEqual([]);
    source.has('c', 'b', 'a');
    await source.poll();
    expect(await source.started()).toEqual(each('c'));
  });

  test('go on after a lock whose process is dead', async () => {
    const source = await aSource({ firstPoll: 'all' });
    source.has('a');
    expect(await source.killAfter(3, () => source.poll('one'))).toBeNull();
    await source.poll('two');
    expect(await source.started()).toEqual([]);
    source.clock.advance(16 * 60_000);
    await source.poll('three');
    expect(await source.started()).toEqual(each('a'));
  });

  test('go on at once after the stores failed during one, which says so', async () => {
    const source = await aSource({ firstPoll: 'all' });
    source.has('a');
    const out = new AppError(STORE_UNAVAILABLE, {});
    const start = source.parts.executions.start;
    Object.assign(source.parts.executions, { start: () => Promise.reject(out) });
    await expect(source.poll()).rejects.toBe(out);
    expect(await source.result()).toMatchObject({
      running: null,
      started: 0,
      since: null,
      failure: { name: 'StoreUnavailable', message: out.message, executionId: null },
    });
    Object.assign(source.parts.executions, { start });
    await source.poll();
    expect(await source.started()).toEqual(each('a'));
    expect(await source.result()).toMatchObject({ running: null, failure: null });
  });

  test.each(['disabled', 'removed', 'without the trigger'])(
    'of a workflow that is %s do nothing',
    async (how) => {
      const source = await aSource({ firstPoll: 'all' });
      source.has('a');
      if (how === 'removed') await source.stores.workflows.remove('news');
      if (how === 'disabled') await source.put({ ...source.workflow, enabled: false });
      if (how === 'without the trigger') {
        const [, ...nodes] = source.workflow.nodes;
        await source.put({ ...source.workflow, nodes, connections: [] });
      }
      await source.poll();
      expect(source.server.received).toEqual([]);
      expect(await source.started()).toEqual([]);
    },
  );
});

/** Calls from one kill to the next. */
const STEP = cases(5, 1);

describe.each([false, true])('a process that is killed at any call (per batch: %s)', (perBatch) => {
  describe.each(['call', 'answer'] as const)('before its %s', (before) => {
    test.each(['by its repetition', 'by the next poll'])(
      'loses no item and starts none twice, completed %s',
      async (how) => {
        let kills = 0;
        for (let calls = 0; ; calls += STEP) {
          const source = await aSource({ perBatch });
          source.has('a');
          await source.poll('first');
          source.has('b', 'c', 'a');
          const made = await source.killAfter(calls, () => source.poll('killed'), before);
          // What has come meanwhile must not be taken for part of what was started.
          source.has('d', 'c', 'b');
          if (how === 'by the next poll') source.clock.advance(16 * 60_000);
          else await source.poll('killed');
          await source.poll('next');
          await source.poll('last');
          const started = (await source.started()).flat().sort();
          expect([calls, ...started]).toEqual([calls, 'b', 'c', 'd']);
          if (made !== null) break;
          kills += 1;
        }
        expect(kills).toBeGreaterThan(1);
      },
    );
  });
});

describe('a position', () => {
  /** A trigger that returns the next two of its items, and how many it has returned. */
  const aCounter = async (items: readonly JsonValue[], parameters: JsonObject = {}) => {
    const given: JsonValue[] = [];
    const counter = createPollTrigger({
      id: 'counter',
      name: 'Counter',
      description: 'For tests',
      parameters: { type: 'object', properties: {} },
      fetchItems: async ({ position }) => {
        given.push(position);
        const from = Number(position ?? 0);
        const some = items.slice(from, from + 2);
        return {
          items: some,
          keys: some.map((_item, at) => String(from + at)),
          position: from + some.length,
        };
      },
      example: { parameters: {}, input: {}, output: {} },
    });
    const provider = {
      id: 'counter',
      name: 'Counter',
      version: '1.0.0',
      description: 'For tests',
      category: 'test',
      handles: [counter],
    };
    const plugin = unified('counter', async () => ({ default: provider }));
    const service = await aPollService(await openDatabase(), { plugins: [plugin] });
    await service.put(aPollWorkflow({ firstPoll: 'all', ...parameters }, { type: 'counter' }));
    return { ...service, given };
  };

  test('is given to the next poll, once all items were started', async () => {
    const { poll, given, started, result } = await aCounter(['a', 'b', 'c']);
    for (let polls = 0; polls < 3; polls++) await poll();
    expect(given).toEqual([null, 2, 3]);
    expect(await started()).toEqual(each('0', '1', '2'));
    expect(await result()).toMatchObject({ position: 3 });
  });

  test('stays where it is while a batch is too much for one execution', async () => {
    const half = Array.from({ length: 600_000 }, () => 0); // together more values than an execution may have
    const { poll, given, started } = await aCounter([half, half, 'c'], { perBatch: true });
    for (let polls = 0; polls < 4; polls++) await poll();
    expect(given).toEqual([null, null, 2, 3]);
    expect(await started()).toEqual([['0'], ['1'], ['2']]);
  });

  test('of a poll that was killed before its items were started is not taken over', async () => {
    const { poll, given, killAfter, started } = await aCounter(['a', 'b', 'c']);
    await killAfter(6, () => poll('killed'));
    await poll('killed');
    await poll('next');
    expect(given).toEqual([null, null, 2]);
    expect(await started()).toEqual(each('0', '1', '2'));
  });
});

describe('a feed', () => {
  const aFeed = (...items: readonly string[]): string =>
    `<rss version="2.0"><channel><title>Tea</title>${items.join('')}</channel></rss>`;

  const aFeedSource = async (feed: { text: string }, parameters: JsonObject = {}) => {
    const server = await aLocalServer({
      '/feed.xml': (_request, response) =>
        void response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed.text),
    });
    servers.push(server);
    const service = await aPollService(await openDatabase());
    const { itemKey: _itemKey, items: _items, ...rest } = parameters;
    await service.put(aPollWorkflow({ url: `${server.origin}/feed.xml`, ...rest }, { type: 'rssTrigger' }));
    return service;
  };

  test('starts the workflow for each item with a new guid, or a new link if it has none', async () => {
    const feed = { text: aFeed('<item><guid>a</guid></item>') };
    const service = await aFeedSource(feed);
    await service.poll();
    feed.text = aFeed(
      '<item><link>https://tea.example/2</link></item>',
      '<item><guid>b</guid><title>Green</title></item>',
      '<item><guid>a</guid></item>',
    );
    await service.poll();
    expect(await service.started()).toEqual(each('b', 'https://tea.example/2'));
    const inputs = await Promise.all((await service.records()).map(service.inputOf));
    expect(inputs).toContainEqual(
      expect.objectContaining({ key: 'b', item: expect.objectContaining({ title: 'Green' }) }),
    );
  });

  test('that is none fails the poll', async () => {
    const service = await aFeedSource({ text: 'hello' });
    await service.poll();
    const [record] = await service.records();
    expect(record?.failure?.name).toBe('NotAFeed');
  });

  /** The titles of the items that runs were started with. */
  const titlesOf = async (service: Awaited<ReturnType<typeof aFeedSource>>) => {
    const inputs = await Promise.all((await service.records()).map(service.inputOf));
    return inputs.map((input) => (input as { item: JsonObject }).item.title).sort();
  };
  const anItem = (title: string, date = '', id = '') =>
    `<item><title>${title}</title><pubDate>${date}</pubDate>${id}</item>`;
  const link = '<link>https://tea.example/</link>';

  test.each([
    ['without guid and link, also on the same day', anItem('a'), anItem('b'), anItem('c')],
    ['without guid and link, and with one title', anItem('a', '2026-01-01'), anItem('a', '2026-01-02'), ''],
    [
      'without title',
      '<item><description>a</description></item>',
      '<item><description>b</description></item>',
      '',
    ],
    [
      'with one link',
      anItem('a', '2026-01-01', link),
      anItem('b', '2026-01-02', link),
      anItem('c', '', link),
    ],
    ['with one guid', anItem('a', '', '<guid>1</guid>'), anItem('b', '', '<guid>1</guid>'), ''],
    ['with a guid of two kilobytes', anItem('a', '', `<guid>${'x'.repeat(2_000)}</guid>`), anItem('b'), ''],
  ])('starts each of its items once: %s', async (_what, ...items) => {
    const feed = { text: aFeed(...items) };
    const service = await aFeedSource(feed, { firstPoll: 'all' });
    await service.poll();
    await service.poll();
    feed.text = aFeed(...items.toReversed());
    await service.poll();
    expect(await service.started()).toHaveLength(items.filter((item) => item !== '').length);
  });

  test.each(['before', 'after'])(
    'starts a new item %s the one whose link it shares, and never an old one again',
    async (where) => {
      const feed = { text: '' };
      const service = await aFeedSource(feed, { firstPoll: 'all' });
      const items: string[] = [];
      for (const title of ['a', 'b', 'c']) {
        if (where === 'before') items.unshift(anItem(title, '', link));
        else items.push(anItem(title, '', link));
        feed.text = aFeed(...items);
        await service.poll();
      }
      expect(await titlesOf(service)).toEqual(['a', 'b', 'c']);
      feed.text = aFeed(anItem('b', '', link), anItem('c', '', link));
      await service.poll();
      expect(await titlesOf(service)).toEqual(['a', 'b', 'c']);
    },
  );

  test('starts no item again whose title is corrected', async () => {
    const feed = { text: aFeed(anItem('gren', '2026-01-01', link)) };
    const service = await aFeedSource(feed, { firstPoll: 'all' });
    await service.poll();
    feed.text = aFeed(anItem('green', '2026-01-01', link));
    await service.poll();
    expect(await titlesOf(service)).toEqual(['gren']);
  });

  test.each([null, undefined])(
    'starts none of the items that an earlier release has seen, and then new ones (position: %s)',
    async (position) => {
      const feed = { text: aFeed(anItem('b', '', link), anItem('a', '', link)) };
      const service = await aFeedSource(feed, { firstPoll: 'all' });
      const write = {
        scope: 'workflow:news',
        expiresAt: null,
        writtenAt: service.clock.now(),
        effect: null,
        version: 1,
        writtenBy: { executionId: null, caller: null },
      };
      const record = {
        since: 'then',
        polledAt: 'then',
        found: 2,
        started: 1,
        failure: null,
        batch: 0,
        running: null,
      };
      const value = position === undefined ? record : { ...record, position };
      await service.stores.state.put({ ...write, key: 'feed', content: { kind: 'value', value } }, null);
      const claim = { kind: 'claim', owner: 'x', executionId: 'x', confirmBy: null } as const;
      await service.stores.state.put({ ...write, key: 'feed/https://tea.example/', content: claim }, null);
      await service.poll();
      await service.poll();
      expect(await service.started()).toEqual([]);
      feed.text = aFeed(anItem('c', '', link), anItem('b', '', link));
      await service.poll();
      expect(await titlesOf(service)).toEqual(['c']);
    },
  );
});
