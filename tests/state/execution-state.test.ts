import type { JsonObject, StateOperation } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createStateStore } from '../../lib/adapters/dynamodb/state-store.ts';
import { createStateFor } from '../../lib/state/execution-state.ts';
import type { StateStore } from '../../lib/state/state-store.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { inMemoryState, inMemoryValues } from '../support/in-memory-state.ts';
import { namePoints } from '../support/named-points.ts';
import { describeStateStore } from '../support/state-store-suite.ts';
import { useTestDatabases } from '../support/test-database.ts';

describeStateStore('Memory', async () => inMemoryState());

const never = new AbortController().signal;

type Run = (operation: StateOperation & { store?: string }) => Promise<JsonObject>;

const open = (store: StateStore = inMemoryState(), isTrial = false) => {
  const clock = aManualClock(Date.parse('2026-01-01T00:00:00.000Z'));
  // Each wait for others passes at once.
  const { values, blobs, checks } = inMemoryValues();
  const stateFor = createStateFor({ store, values, clock: { ...clock, sleep: async () => {} }, isTrial });
  const node = (
    executionId: string,
    { nodeKey = 'node/0', workflowId = 'shop', retryOf = null as string | null } = {},
  ): Run =>
    stateFor({
      executionId,
      workflowId,
      retryOf: retryOf === null ? null : { executionId: retryOf },
    })(nodeKey, never).run;
  return { store, clock, node, blobs, checks };
};

const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    ({ name, message }) => ({ name, message }),
  );

describe('entries', () => {
  test('are put, read, changed and deleted, by version', async () => {
    const { node } = open();
    const absent = { found: false, value: null, version: 0 };
    expect(await node('e-1')({ operation: 'get', key: 'a' })).toEqual(absent);
    expect(await node('e-1')({ operation: 'put', key: 'a', value: [1] })).toEqual({ version: 1 });
    expect(await node('e-2')({ operation: 'put', key: 'a', value: [2], ifVersion: 1 })).toEqual({
      version: 2,
    });
    expect(await node('e-2')({ operation: 'get', key: 'a' })).toEqual({
      found: true,
      value: [2],
      version: 2,
      writtenAt: '2026-01-01T00:00:00.000Z',
      expiresAt: null,
    });
    expect(await node('e-3')({ operation: 'delete', key: 'a' })).toEqual({ deleted: true });
    expect(await node('e-4')({ operation: 'delete', key: 'a' })).toEqual({ deleted: false });
    expect(await node('e-4')({ operation: 'get', key: 'a' })).toEqual(absent);
    expect(await node('e-5')({ operation: 'put', key: 'a', value: 1, ifVersion: 0 })).toEqual({
      version: 4,
    });
  });

  test('belong to the workflow, or to a store that workflows share', async () => {
    const { node } = open();
    await node('e-1')({ operation: 'put', key: 'a', value: 1 });
    await node('e-1')({ operation: 'put', key: 'a', value: 2, store: 'common' });
    const read = async (workflowId: string, store?: string) =>
      (await node('e-2', { workflowId })({ operation: 'get', key: 'a', ...(store ? { store } : {}) })).value;
    expect([await read('shop'), await read('other'), await read('other', 'common')]).toEqual([1, null, 2]);
  });

  test('expire; a counter keeps the time of its first increment', async () => {
    const { node, clock } = open();
    const count = (executionId: string) =>
      node(executionId)({ operation: 'increment', key: 'n', by: 2, ttlSeconds: 60 });
    expect(await count('e-1')).toEqual({ value: 2, version: 1 });
    clock.advance(59_999);
    expect(await count('e-2')).toEqual({ value: 4, version: 2 });
    clock.advance(1);
    expect(await count('e-3')).toEqual({ value: 2, version: 3 });
  });

  test('that are lists keep their last items', async () => {
    const { node } = open();
    for (const value of [1, 2, 3])
      await node(`e-${value}`)({ operation: 'append', key: 'l', value, maxItems: 2 });
    expect(await node('e-4')({ operation: 'get', key: 'l' })).toMatchObject({ value: [2, 3] });
  });

  test('are listed page by page, without those that have expired or were deleted', async () => {
    const { node, clock } = open();
    for (const key of ['a', 'b', 'c', 'd']) await node(`e-${key}`)({ operation: 'put', key, value: key });
    await node('e-1')({ operation: 'delete', key: 'b' });
    await node('e-2')({ operation: 'put', key: 'c', value: 1, ttlSeconds: 1 });
    clock.advance(1_000);
    const page = await node('e-3')({ operation: 'list', limit: 3 });
    expect(page).toMatchObject({ entries: [{ key: 'a', value: 'a', version: 1 }], next: 'c' });
    expect(await node('e-3')({ operation: 'list', after: 'c', limit: 3 })).toMatchObject({
      entries: [{ key: 'd' }],
      next: null,
    });
  });

  test('that are large have their value in the bucket, from 400,001 bytes to 4,000,000', async () => {
    const { node, store, blobs } = open();
    const kindOf = async (key: string) => (await store.find('workflow:shop', key))?.content.kind;
    for (const bytes of [400_000, 400_001, 4_000_000]) {
      const key = `k${bytes}`;
      const value = ['x'.repeat(bytes - 4)];
      expect(await node(`e-${key}`)({ operation: 'put', key, value })).toEqual({ version: 1 });
      expect(await node('e-1')({ operation: 'get', key })).toMatchObject({ found: true, value, version: 1 });
      expect(await kindOf(key)).toBe(bytes === 400_000 ? 'value' : 'large');
    }
    expect(blobs.keys()).toHaveLength(2);
    const { entries } = await node('e-1')({ operation: 'list', prefix: 'k4', limit: 9 });
    expect(entries).toMatchObject([
      { key: 'k400000', value: [expect.any(String)] },
      { key: 'k4000000', value: null, omittedBytes: 4_000_000 },
      { key: 'k400001', value: null, omittedBytes: 400_001 },
    ]);
    // What was large becomes small again, by a list that keeps its last item.
    await node('e-2')({ operation: 'append', key: 'k400001', value: 'last', maxItems: 1 });
    expect(await kindOf('k400001')).toBe('value');
    expect(await node('e-3')({ operation: 'get', key: 'k400001' })).toMatchObject({ value: ['last'] });
  });

  test('whose value is no longer in the bucket fail clearly, and can be put again', async () => {
    const { node, blobs } = open();
    const put = (executionId: string, value: string) =>
      node(executionId)({ operation: 'put', key: 'a', value });
    await put('e-1', 'x'.repeat(400_000));
    await Promise.all(blobs.keys().map((key) => blobs.remove(key)));
    expect(await thrown(node('e-2')({ operation: 'get', key: 'a' }))).toEqual({
      name: 'StateValueMissing',
      message:
        'Parameter "key" names an entry whose value is no longer in the bucket: put it again, or delete the entry',
    });
    expect(await put('e-3', 'y')).toEqual({ version: 2 });
  });

  test('are stored once in the bucket, however often others overtake a put', async () => {
    const memory = inMemoryState();
    let overtaken = 0;
    const { node, blobs } = open({
      ...memory,
      put: async (entry, replaces) => (overtaken++ < 5 ? false : memory.put(entry, replaces)),
    });
    await node('e-1')({ operation: 'put', key: 'a', value: 'x'.repeat(400_000) });
    expect([overtaken, blobs.keys().length]).toEqual([6, 1]);
  });

  test('of trials are apart, and live for a day', async () => {
    const live = open();
    const tried = open(live.store, true);
    await live.node('e-1')({ operation: 'put', key: 'a', value: 'live' });
    await tried.node('e-2')({ operation: 'put', key: 'a', value: 'tried' });
    expect(await live.node('e-3')({ operation: 'get', key: 'a' })).toMatchObject({ value: 'live' });
    expect(await tried.node('e-3')({ operation: 'get', key: 'a' })).toMatchObject({
      value: 'tried',
      expiresAt: '2026-01-02T00:00:00.000Z',
    });
  });
});

describe('keys', () => {
  const claim = (run: Run, keys: readonly string[], confirmWithinSeconds?: number) =>
    run({ operation: 'claim', keys, confirmWithinSeconds }).then(({ claimed }) => claimed);

  test('are claimed by the first node run, again if it is repeated, and by no other', async () => {
    const { node } = open();
    expect(await claim(node('e-1'), ['a', 'b', 'a'])).toEqual([true, true, false]);
    expect(await claim(node('e-1'), ['a', 'b', 'a'])).toEqual([true, true, false]);
    expect(await claim(node('e-1', { nodeKey: 'node/1' }), ['a'])).toEqual([false]);
    expect(await claim(node('e-2'), ['a', 'c'])).toEqual([false, true]);
  });

  test('are claimed again by a retry of the execution', async () => {
    const { node } = open();
    await claim(node('e-1'), ['a']);
    expect(await claim(node('e-2', { retryOf: 'e-1' }), ['a'])).toEqual([true]);
    expect(await claim(node('e-3', { retryOf: 'e-2' }), ['a'])).toEqual([true]);
    expect(await claim(node('e-4', { retryOf: 'e-1' }), ['a'])).toEqual([false]);
  });

  test('that are not confirmed in time can be claimed by another', async () => {
    const { node, clock } = open();
    expect(await claim(node('e-1'), ['a', 'b'], 60)).toEqual([true, true]);
    expect(await node('e-1', { nodeKey: 'mark/0' })({ operation: 'confirm', keys: ['a'] })).toEqual({
      confirmed: 1,
    });
    clock.advance(59_999);
    expect(await claim(node('e-2'), ['a', 'b'], 60)).toEqual([false, false]);
    clock.advance(1);
    expect(await claim(node('e-3'), ['a', 'b'], 60)).toEqual([false, true]);
  });

  test('that a repeated node run claims again are its own for the whole time', async () => {
    const { node, clock } = open();
    await claim(node('e-1'), ['a'], 60);
    clock.advance(59_000);
    expect(await claim(node('e-1'), ['a'], 60)).toEqual([true]);
    clock.advance(59_000);
    expect(await claim(node('e-2'), ['a'], 60)).toEqual([false]);
    clock.advance(1_000);
    expect(await claim(node('e-2'), ['a'], 60)).toEqual([true]);
    expect(await claim(node('e-1'), ['a'], 60)).toEqual([false]);
  });

  test('that are claimed can be read and deleted, and hold no value', async () => {
    const { node } = open();
    await claim(node('e-1'), ['a']);
    expect(await node('e-2')({ operation: 'get', key: 'a' })).toMatchObject({
      value: { claimedBy: 'e-1', confirmBy: null },
    });
    expect(await thrown(node('e-2')({ operation: 'put', key: 'a', value: 1 }))).toMatchObject({
      name: 'StateTypeMismatch',
    });
    await node('e-3')({ operation: 'delete', key: 'a' });
    expect(await claim(node('e-4'), ['a'])).toEqual([true]);
    await node('e-5')({ operation: 'put', key: 'v', value: 1 });
    expect(await thrown(claim(node('e-6'), ['v']))).toMatchObject({ name: 'StateTypeMismatch' });
  });
});

describe('what is refused stores nothing', () => {
  const refused: readonly [string, StateOperation & { store?: string }, string, string][] = [
    ['an empty key', { operation: 'get', key: '' }, 'StateInvalid', 'Parameter "key" must not be empty'],
    [
      'a key of over 1 kB',
      { operation: 'put', key: 'é'.repeat(513), value: 1 },
      'StateInvalid',
      'Parameter "key" has 1026 bytes; at most 1024 are allowed',
    ],
    [
      'half a character in a key',
      { operation: 'put', key: '\ud800', value: 1 },
      'StateInvalid',
      'Parameter "key" must be well-formed Unicode',
    ],
    [
      'one bad key of many',
      { operation: 'claim', keys: ['a', ''] },
      'StateInvalid',
      'Parameter "keys[1]" must not be empty',
    ],
    [
      'too many keys',
      { operation: 'claim', keys: Array.from({ length: 1_001 }, (_, at) => `${at}`) },
      'StateInvalid',
      'Parameter "keys" must have from 0 to 1000 keys, but has 1001',
    ],
    [
      'a value of over 4 MB',
      { operation: 'put', key: 'a', value: 'x'.repeat(4_000_000) },
      'StateTooLarge',
      'Parameter "value" makes an entry of 4000002 bytes as JSON; at most 4000000 are allowed: keep it elsewhere, such as in S3 with the node aws, and put its key',
    ],
    [
      'a negative time to live',
      { operation: 'put', key: 'a', value: 1, ttlSeconds: -1 },
      'StateInvalid',
      'Parameter "ttlSeconds" must be an integer from 1 to 315360000',
    ],
    [
      'a store whose name has a slash',
      { operation: 'put', key: 'a', value: 1, store: 'a/b' },
      'StateInvalid',
      'Parameter "store" must be a letter or digit, then at most 63 letters, digits, _ and -',
    ],
    [
      'a version of what does not exist',
      { operation: 'put', key: 'a', value: 1, ifVersion: 3 },
      'StateVersionMismatch',
      'Parameter "ifVersion" is 3, but there is no entry of this key',
    ],
    [
      'another version',
      { operation: 'delete', key: 'text', ifVersion: 3 },
      'StateVersionMismatch',
      'Parameter "ifVersion" is 3, but the entry has the version 1',
    ],
    [
      'an increment of a text',
      { operation: 'increment', key: 'text', by: 1 },
      'StateTypeMismatch',
      'Parameter "key" names an entry that has a string, not a number',
    ],
    [
      'an increment by no number',
      { operation: 'increment', key: 'a', by: Number.NaN },
      'StateInvalid',
      'Parameter "by" must be a number',
    ],
    [
      'an append to a text',
      { operation: 'append', key: 'text', value: 1, maxItems: 3 },
      'StateTypeMismatch',
      'Parameter "key" names an entry that has a string, not a list',
    ],
  ];
  test.each(refused)('%s', async (_case, operation, name, message) => {
    const { node, store } = open();
    await node('e-0')({ operation: 'put', key: 'text', value: 'a' });
    expect(await thrown(node('e-1')(operation))).toEqual({ name, message });
    const range = { prefix: '', after: null, limit: 100 };
    const { entries } = await store.list('workflow:shop', range);
    expect(entries.map(({ key, version }) => [key, version])).toEqual([['text', 1]]);
  });
});

describe('of node runs that write at the same time', () => {
  const openDatabase = useTestDatabases();

  /** State on DynamoDB, with points. */
  const race = async () => {
    const { client, tables } = await openDatabase();
    const { ports, ...points } = namePoints({ state: createStateStore(client, tables) });
    const { node } = open(ports.state);
    const count = (executionId: string) =>
      node(executionId)({ operation: 'increment', key: 'n', by: 1 }).then(({ value }) => value);
    return { ...points, node, count };
  };

  test('both increments of a counter count', async () => {
    const { hold, count } = await race();
    await count('e-0');
    const points = [hold('state.put:before'), hold('state.put:before')];
    const counted = [count('e-1'), count('e-2')];
    await Promise.all(points.map(({ reached }) => reached));
    for (const { release } of points) release();
    expect((await Promise.all(counted)).sort()).toEqual([2, 3]);
  });

  test.each([
    ['first', [0, 1]],
    ['second', [1, 0]],
  ])('that claim a key, it is the claim of the one that is stored %s', async (_which, order) => {
    const { hold, node } = await race();
    const points = [hold('state.put:before'), hold('state.put:before')];
    const claims = ['e-1', 'e-2'].map((id) => node(id)({ operation: 'claim', keys: ['a'] }));
    await Promise.all(points.map(({ reached }) => reached));
    const claimed = [];
    for (const at of order) {
      points[at]?.release();
      claimed.push((await claims[at])?.claimed);
    }
    expect(claimed).toEqual([[true], [false]]);
  });

  // The run whose process was thought to be dead makes its write between any two reads of the one that repeats it.
  test.each([
    'state.find:before',
    'state.find:after',
    'state.findEffect:before',
    'state.findEffect:after',
    'state.put:before',
  ])(
    'a write that is made while it is repeated is made once, others after it or not: at %s',
    async (point) => {
      for (const others of [0, 1]) {
        const { hold, count } = await race();
        await count('e-0');
        const late = hold('state.put:before');
        const first = count('e-1');
        await late.reached;
        const between = hold(point);
        const repeated = count('e-1');
        await between.reached;
        late.release();
        expect(await first).toBe(2);
        if (others === 1) expect(await count('e-2')).toBe(3);
        between.release();
        expect(await repeated).toBe(2);
        expect(await count('e-3')).toBe(3 + others);
      }
    },
  );
});

test('a write that others keep overtaking says so, and stores nothing', async () => {
  const store = inMemoryState();
  const overtaken = { ...store, put: async () => false };
  const { node } = open(overtaken);
  expect(await thrown(node('e-1')({ operation: 'increment', key: 'n', by: 1 }))).toEqual({
    name: 'StateBusy',
    message: 'Parameter "key" names an entry that others keep changing at the same time',
  });
  expect(await store.find('workflow:shop', 'n')).toBeNull();
});
