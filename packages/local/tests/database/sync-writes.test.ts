import { expect, test } from '@jest/globals';
import { syncWrites } from '../../database/sync-writes.ts';

/** A database whose writes end when the test resolves their flushes. */
const aDatabase = () => {
  const written: { readonly keys: readonly unknown[]; readonly options: unknown }[] = [];
  const flushes: PromiseWithResolvers<void>[] = [];
  const db = {
    _put: async (_key: string, _value: string) => {},
    _del: async (_key: string) => {},
    _get: async () => undefined,
    _getSync: () => undefined,
    _batch: (
      changes: readonly { readonly type: string; readonly key: string }[],
      options?: { readonly sync: boolean },
    ) => {
      written.push({ keys: changes.map(({ key }) => key), options });
      const flush = Promise.withResolvers<void>();
      flushes.push(flush);
      return flush.promise;
    },
  };
  syncWrites({ db });
  return { db, written, flushes };
};

const settle = () => new Promise(setImmediate);

test('a write is acknowledged once it is on the disk; those that wait for the disk share a flush, in their order', async () => {
  const { db, written, flushes } = aDatabase();
  const done: string[] = [];
  void db._put('a', '1').then(() => done.push('a'));
  await settle();
  const others = [
    db._put('b', '2'),
    db._del('c'),
    db._batch([
      { type: 'del', key: 'd' },
      { type: 'del', key: 'e' },
    ]),
  ];
  void Promise.all(others).then(() => done.push('others'));
  await settle();
  expect([written.map(({ keys }) => keys), done]).toEqual([[['a']], []]);
  flushes[0]?.resolve();
  await settle();
  expect(written[1]).toEqual({ keys: ['b', 'c', 'd', 'e'], options: { sync: true } });
  expect(done).toEqual(['a']);
  flushes[1]?.resolve();
  await settle();
  expect(done).toEqual(['a', 'others']);
});

test('entries of an index are written with their item, in one flush', async () => {
  const { db, written } = aDatabase();
  const keys = ['index-global~orders~byTime~1', 'index-global~orders~byTime~2', 'item-orders~a'];
  void db._del(keys[0] ?? '');
  void db._put(keys[1] ?? '', '{}');
  await settle();
  void db._put(keys[2] ?? '', '{}');
  await settle();
  expect(written.map((one) => one.keys)).toEqual([keys]);
});

test('a failed flush fails its own writes only', async () => {
  const { db, flushes } = aDatabase();
  const failed = db._put('a', '1');
  await settle();
  const next = db._put('b', '2');
  flushes[0]?.reject(new Error('no disk'));
  await expect(failed).rejects.toThrow('no disk');
  await settle();
  flushes[1]?.resolve();
  await expect(next).resolves.toBeUndefined();
});
