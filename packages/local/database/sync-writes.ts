import type { Store } from 'dynalite/db/index.js';

interface Change {
  readonly type: 'put' | 'del';
  readonly key: string;
  readonly value?: string;
}

/** Entries of an index, which dynalite writes before their item: they wait for it, so that one flush takes both. */
const isOfIndex = ({ key }: Change): boolean => key.startsWith('index-');

/**
 * Makes each write of the tables reach the disk before it is acknowledged, so that it survives a power cut. What arrives
 * while the disk is busy is written together, all or nothing, in its order. Reads take no thread.
 */
export const syncWrites = ({ db }: Pick<Store, 'db'>): void => {
  const write = db._batch.bind(db);
  let waiting: Change[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  const commit = async (changes: readonly Change[]): Promise<void> => {
    waiting.push(...changes);
    if (changes.every(isOfIndex)) return;
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
    // A thread that finds an item costs more than finding it: what was written lately is in memory.
    _get: async (key: string, options: object) => db._getSync(key, options),
  });
};
