import type { Clock } from '@hookloom/plugin-kit';
import { workThrough } from '../shared/work-through.ts';
import { expiryOf } from './change-entry.ts';
import { liveOf } from './show-entry.ts';
import type { StateEntry, StateStore } from './state-store.ts';
import { writeEntry } from './write-entry.ts';

interface KeyOptions {
  readonly scope: string;
  readonly prefix: string;
  readonly ttlSeconds: number;
}

/** A key that was not seen, with its entry as stored: it may have expired or been deleted. */
export interface NewKey {
  readonly key: string;
  readonly found: StateEntry | null;
}

const AT_ONCE = 16;

/**
 * The keys that a trigger has seen: claims as those of `newItems`, in entries of state that operators see, and free again
 * once they delete them.
 */
export const openSeenKeys = (
  { store, clock }: { readonly store: StateStore; readonly clock: Pick<Clock, 'now'> },
  { scope, prefix, ttlSeconds }: KeyOptions,
) => {
  const forEach = <Key>(keys: Iterable<Key>, work: (key: Key) => Promise<void>) =>
    workThrough(keys, { atOnce: AT_ONCE, mayGoOn: () => true }, work);

  /** Remembers a key that is still there for longer, once half of its time is over. */
  const extend = async (entry: StateEntry, now: number): Promise<void> => {
    if (entry.expiresAt === null || entry.expiresAt - now > (ttlSeconds * 1_000) / 2) return;
    const { version: _version, ...kept } = entry;
    const expiresAt = expiryOf(ttlSeconds, now);
    await writeEntry(store, entry, { ...kept, expiresAt, writtenAt: now, effect: null });
  };

  return {
    /** Finds out which keys were not seen, each once and in the same order. @throws AppError `STORE_UNAVAILABLE` */
    findNew: async (keys: readonly string[]): Promise<readonly NewKey[]> => {
      const distinct = new Set(keys);
      const found = new Map<string, NewKey>();
      await forEach(distinct, async (key) => {
        const entry = await store.find(scope, `${prefix}${key}`);
        const now = clock.now();
        const live = liveOf(entry, now);
        if (live === null) found.set(key, { key, found: entry });
        else await extend(live, now);
      });
      return [...distinct].flatMap((key) => found.get(key) ?? []);
    },
    /** Marks keys as seen, unless that happened in the meantime. @throws AppError `STORE_UNAVAILABLE` */
    mark: async (keys: readonly NewKey[], executionId: string): Promise<void> => {
      await forEach(keys, async ({ key, found }) => {
        const now = clock.now();
        await writeEntry(store, found, {
          scope,
          key: `${prefix}${key}`,
          expiresAt: expiryOf(ttlSeconds, now),
          writtenAt: now,
          writtenBy: { executionId, caller: null },
          content: { kind: 'claim', owner: executionId, executionId, confirmBy: null },
          effect: null,
        });
      });
    },
  };
};
