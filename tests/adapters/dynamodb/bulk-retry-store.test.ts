import { expect, test } from '@jest/globals';
import { createBulkRetryStore } from '../../../lib/adapters/dynamodb/executions/bulk-retry-store.ts';
import { aBulkRetry } from '../../support/a-bulk-retry.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();

const aStore = async (now: () => number = Date.now) => {
  const { client, tables } = await openDatabase();
  return createBulkRetryStore(client, tables, { retentionDays: 30, clock: { now } });
};

const bulk = aBulkRetry();
const ID = bulk.bulkRetryId;

test('a bulk retry is found with its executions, in their order, however many there are', async () => {
  const store = await aStore();
  const ids = Array.from({ length: 2_500 }, (_, at) => `e-${at}`);
  const long = { ...bulk, marks: '.'.repeat(2_500) };
  await store.create(long, ids);
  expect(await store.find(ID)).toEqual(long);
  expect(await store.findExecutions(ID)).toEqual(ids);
  expect(await store.findActive()).toEqual([ID]);
  expect(await store.find('20261125T043600123-other000')).toBeNull();
});

test('lists are the latest first, page by page, and leave out what has expired', async () => {
  let now = Date.now();
  const store = await aStore(() => now);
  const idOf = (at: number) => `20261125T04360012${at}-a1b2c3d4`;
  for (const at of [2, 0, 1]) await store.create(aBulkRetry({ bulkRetryId: idOf(at) }), []);
  const list = async (limit: number, after: string | null) => {
    const { bulkRetries, next } = await store.list(limit, after);
    return [bulkRetries.map(({ bulkRetryId }) => bulkRetryId), next];
  };
  expect(await list(2, null)).toEqual([[idOf(2), idOf(1)], idOf(1)]);
  expect(await list(2, idOf(1))).toEqual([[idOf(0)], null]);
  expect(await list(3, null)).toEqual([[idOf(2), idOf(1), idOf(0)], null]);
  now += 31 * 86_400_000;
  expect([await store.list(3, null), await store.find(idOf(1))]).toEqual([
    { bulkRetries: [], next: null },
    null,
  ]);
});

test('one process at a time has the lease, until it expires or is given back', async () => {
  const store = await aStore();
  await store.create(bulk, ['a']);
  expect(await store.acquireLease(ID, { owner: 'p', expiresAt: 100 }, 50)).toEqual(bulk);
  expect(await store.acquireLease(ID, { owner: 'p', expiresAt: 100 }, 50)).not.toBeNull(); // after a crash
  expect(await store.acquireLease(ID, { owner: 'q', expiresAt: 100 }, 99)).toBeNull();
  expect(await store.acquireLease(ID, { owner: 'q', expiresAt: 200 }, 100)).not.toBeNull();
  const progress = { marks: 'o..', refused: [], stop: null, endedAt: null };
  expect(await store.save(ID, progress, { owner: 'p', expiresAt: 300 })).toBeNull();
  expect(await store.save(ID, progress, { owner: 'q', expiresAt: 0 })).toMatchObject({ marks: 'o..' });
  expect(await store.acquireLease(ID, { owner: 'p', expiresAt: 300 }, 101)).toMatchObject({ marks: 'o..' });
});

test('a stop is kept whatever its process stores, and once only', async () => {
  const store = await aStore();
  await store.create(bulk, ['a']);
  await store.acquireLease(ID, { owner: 'p', expiresAt: 100 }, 50);
  const stop = { state: 'cancelled', reason: 'enough' } as const;
  expect(await store.stop(ID, stop)).toMatchObject({ stop });
  expect(await store.stop(ID, stop)).toMatchObject({ stop }); // repeated
  expect(await store.stop(ID, { ...stop, reason: 'again' })).toBeNull();
  const other = { state: 'stopped', reason: 'failures' } as const;
  const progress = { marks: '+..', refused: [], stop: other, endedAt: null };
  expect(await store.save(ID, progress, { owner: 'p', expiresAt: 200 })).toMatchObject({
    marks: '+..',
    stop,
  });
  expect(await store.stop('20261125T043600123-other000', stop)).toBeNull();
});

test('one that has ended is neither active, nor leased, nor stopped', async () => {
  const store = await aStore();
  await store.create(bulk, ['a']);
  await store.acquireLease(ID, { owner: 'p', expiresAt: 100 }, 50);
  const refused = [{ executionId: 'a', reason: 'it has not ended' }];
  await store.save(ID, { marks: '+-x', refused, stop: null, endedAt: 70 }, { owner: 'p', expiresAt: 0 });
  expect(await store.find(ID)).toMatchObject({ marks: '+-x', refused, endedAt: 70 });
  expect(await store.findActive()).toEqual([]);
  expect(await store.acquireLease(ID, { owner: 'p', expiresAt: 200 }, 150)).toBeNull();
  expect(await store.stop(ID, { state: 'cancelled', reason: '' })).toBeNull();
});

test('what is active without a bulk retry is passed over, and leased once it is stored', async () => {
  const { client, tables } = await openDatabase();
  const store = createBulkRetryStore(client, tables, { retentionDays: 30, clock: { now: Date.now } });
  const halted = createBulkRetryStore(
    {
      ...client,
      putItem: async (input) => {
        if (input.Item?.request !== undefined)
          throw Object.assign(new Error('gone'), { name: 'TimeoutError' });
        return client.putItem(input);
      },
    },
    tables,
    { retentionDays: 30, clock: { now: Date.now } },
  );
  await expect(halted.create(bulk, ['a'])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await store.findActive()).toEqual([ID]);
  expect(await store.acquireLease(ID, { owner: 'p', expiresAt: 100 }, 50)).toBeNull();
  await store.create(bulk, ['a']);
  expect(await store.acquireLease(ID, { owner: 'p', expiresAt: 100 }, 50)).toEqual(bulk);
});

test('one that is active although it has ended, after a crash, is active no longer', async () => {
  const { client, tables } = await openDatabase();
  const store = createBulkRetryStore(client, tables, { retentionDays: 30, clock: { now: Date.now } });
  await store.create(bulk, ['a']);
  await store.acquireLease(ID, { owner: 'p', expiresAt: 100 }, 50);
  const deleteItem = () => Promise.reject(Object.assign(new Error('gone'), { name: 'TimeoutError' }));
  const halted = createBulkRetryStore({ ...client, deleteItem }, tables, {
    retentionDays: 30,
    clock: { now: Date.now },
  });
  const ended = { marks: '+++', refused: [], stop: null, endedAt: 70 };
  await expect(halted.save(ID, ended, { owner: 'p', expiresAt: 0 })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  });
  expect(await store.findActive()).toEqual([ID]);
  expect(await store.acquireLease(ID, { owner: 'p', expiresAt: 200 }, 100)).toBeNull();
  expect(await store.findActive()).toEqual([]);
});
