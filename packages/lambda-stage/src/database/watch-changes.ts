import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import dynaliteDb, { type ItemDb, type Store } from 'dynalite/db/index.js';

type Item = Readonly<Record<string, AttributeValue>>;

/** Options of dynalite: tables change their status within milliseconds, not half a second. */
export const AT_ONCE = { createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 };

/** Receives each change of an item, in the order of the changes. @param before - null for a new item; `after`, for a removed one */
export type OnChange = (table: string, before: Item | null, after: Item | null) => void;

/** Returns the store of the dynalite that a function creates, too: dynalite has it in a closure. */
export const withStore = <T>(start: () => T): [T, Store] => {
  const { create } = dynaliteDb;
  const stores: Store[] = [];
  dynaliteDb.create = (options) => {
    const store = create(options);
    stores.push(store);
    return store;
  };
  try {
    const started = start();
    const [store] = stores;
    if (store === undefined) throw new Error('no dynalite was created');
    return [started, store];
  } finally {
    dynaliteDb.create = create;
  }
};

/** Reports changes of some tables, in place of DynamoDB Streams, which dynalite does not have. */
export const watchChanges = (store: Store, tables: Iterable<string>, onChange: OnChange): void => {
  for (const table of tables) watchTable(store.getItemDb(table), (...images) => onChange(table, ...images));
};

/** What dynalite says of a write when its server has stopped since the request arrived. */
const CLOSED = 'Database is closed';

/** dynalite holds a lock of the item during each of these calls. */
const watchTable = (db: ItemDb, report: (before: Item | null, after: Item | null) => void): void => {
  const { put, del } = db;
  const change = (
    key: string,
    after: Item | null,
    write: ItemDb['del'],
    done: (error: Error | null) => void,
  ) =>
    db.get(key, (_notFound, before) =>
      write(key, (error) => {
        if (error?.message === CLOSED) return; // no request waits for it, and dynalite would throw it
        if (error === null) report(before ?? null, after);
        done(error);
      }),
    );
  db.put = (key, item, done) => change(key, structuredClone(item), (_key, end) => put(key, item, end), done);
  db.del = (key, done) => change(key, null, del, done);
};
