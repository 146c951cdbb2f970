export interface CacheOptions<Value> {
  /** Milliseconds that an entry is valid, from the start of its load; 0 switches the cache off. */
  readonly ttlMs: number;
  /** Beyond this the least recently used entry is evicted. */
  readonly maxEntries: number;
  /** `now` gives milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Whether a value is cached; all are by default. Failures never are. */
  readonly keep?: (value: Value) => boolean;
}

/** Gets a value from the cache or from `load`. Concurrent lookups of a key share one `load`. */
type Lookup<Value> = (key: string, load: () => Promise<Value>) => Promise<Value>;

interface Entry<Value> {
  readonly value: Promise<Value>;
  readonly loadedAt: number;
}

/** An LRU cache in memory, bounded in age and in number. */
export const createCache = <Value>({
  ttlMs,
  maxEntries,
  clock,
  keep = () => true,
}: CacheOptions<Value>): Lookup<Value> => {
  const entries = new Map<string, Entry<Value>>();

  // The first comparison: an entry must not live longer when the clock is set back.
  const isFresh = ({ loadedAt }: Entry<Value>, now: number) => loadedAt <= now && now < loadedAt + ttlMs;

  const touch = (key: string, entry: Entry<Value>) => {
    entries.delete(key); // a Map is ordered by insertion: the entry moves to the end
    entries.set(key, entry);
    if (entries.size <= maxEntries) return;
    const [leastRecentlyUsed] = entries.keys();
    if (leastRecentlyUsed !== undefined) entries.delete(leastRecentlyUsed);
  };

  return (key, load) => {
    if (ttlMs <= 0) return load();
    const now = clock.now();
    const known = entries.get(key);
    if (known !== undefined && isFresh(known, now)) {
      touch(key, known);
      return known.value;
    }
    const entry = { value: load(), loadedAt: now };
    touch(key, entry);
    const evict = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    entry.value.then((value) => {
      if (!keep(value)) evict();
    }, evict);
    return entry.value;
  };
};
