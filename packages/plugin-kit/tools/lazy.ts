/** A value that is loaded on first use, once for all callers. After a failed load, the next call tries again. */
export const lazy = <Value>(load: () => Promise<Value>): (() => Promise<Value>) => {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= load().catch((error: unknown) => {
      value = undefined;
      throw error;
    });
    return value;
  };
};

/** A value and the end of its validity. */
export interface Expiring<Value> {
  readonly value: Value;
  /** When the value expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A value counts as expired this long before it expires, so that it is still valid on arrival. */
const MARGIN_MS = 60_000;

interface Entries<Key, Value> {
  get(key: Key): Promise<Expiring<Value>> | undefined;
  set(key: Key, value: Promise<Expiring<Value>>): unknown;
  delete(key: Key): boolean;
}

/**
 * Keeps one value per key until it expires. Concurrent callers share one `load`; after a failure, the next call loads
 * again.
 *
 * @param entries - a Map, or a WeakMap for keys that are compared by identity
 */
export const createExpiringMemo =
  <Key, Value>(entries: Entries<Key, Value>) =>
  async (key: Key, now: number, load: () => Promise<Expiring<Value>>): Promise<Value> => {
    const known = entries.get(key);
    const current = await known;
    if (current !== undefined && now + MARGIN_MS < current.expiresAt) return current.value;
    // Another caller may have started loading in the meantime.
    const latest = entries.get(key);
    if (latest !== undefined && latest !== known) return (await latest).value;
    const loading = load();
    entries.set(key, loading);
    loading.catch(() => {
      if (entries.get(key) === loading) entries.delete(key);
    });
    return (await loading).value;
  };
