import type { Store } from 'dynalite/db/index.js';

/**
 * Makes each write of the tables reach the disk before it is acknowledged, so that it survives a power cut. What arrives
 * while the disk is busy is written together, all or nothing, in its order.
 */
export const syncWrites = ({ db }: Pick<Store, 'db'>): void => {
  const write = db._batch.bind(db);
  let waiting: object[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  const commit = (changes: readonly object[]): Promise<void> => {
    waiting.push(...changes);
    next ??= last.then(() => {
      const all = waiting;
      waiting = [];
      next = null;
      const written = write(all, { sync: true });
      last = written.catch(() => {});
      return written;
    });
    return next;
  };
  Object.assign(db, {
    _put: (key: string, value: string) => commit([{ type: 'put', key, value }]),
    _del: (key: string) => commit([{ type: 'del', key }]),
    _batch: commit,
  });
};
