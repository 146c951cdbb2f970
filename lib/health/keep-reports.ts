import type { Clock } from '@hookloom/plugin-kit';
import { LruMap } from '../shared/cache.ts';

interface KeepOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** How long a value is kept, from when it is available. */
  readonly ttlMs: number;
}

interface Entry<Value> {
  readonly value: Promise<Value>;
  readonly startedAt: number;
  expiresAt: number;
}

const MAX_ENTRIES = 200;

/** Work that takes longer is no longer shared. */
const MAX_WORK_MS = 30_000;

/**
 * Caches slow results for a few seconds. Unlike `createCache`, the TTL counts from the end of the work, which may take
 * longer than the TTL; concurrent calls share the work. Failures are not cached.
 */
export const createKeeper = <Value>({ clock, ttlMs }: KeepOptions) => {
  const entries = new LruMap<string, Entry<Value>>(MAX_ENTRIES);

  const start = (key: string, work: () => Promise<Value>): Entry<Value> => {
    const startedAt = clock.now();
    const entry = { value: work(), startedAt, expiresAt: startedAt + MAX_WORK_MS };
    entries.set(key, entry);
    entry.value.then(
      () => {
        entry.expiresAt = clock.now() + ttlMs;
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return entry;
  };

  return async (key: string, work: () => Promise<Value>) => {
    const now = clock.now();
    const known = entries.get(key);
    // The first comparison: clocks can be set back.
    const isFresh = known !== undefined && known.startedAt <= now && now < known.expiresAt;
    const entry = isFresh ? known : start(key, work);
    const value = await entry.value;
    return { value, expiresAt: entry.expiresAt };
  };
};
