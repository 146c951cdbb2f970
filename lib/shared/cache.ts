export interface CacheOptions<Value> {
  /**
   * Milliseconds that an entry is valid at most, from the start of its load; 0 switches the cache off.
   */
  readonly ttlMs: number;
  /** Beyond this the least recently used entry is evicted. */
  readonly maxEntries: number;
  /** `now` gives milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Whether a value is cached; all are by default. Failures never are. */
  readonly keep?: (value: Value) => boolean;
  /** What is known is the answer to a lookup that fails; absent for a cache whose failures reach the caller. */
  readonly stale?: {
    /** Milliseconds from the start of the load that answered; longer than `ttlMs`. */
    readonly maxAgeMs: number;
    /** Whether an error may pass, and says nothing of the value. */
    readonly mayPass: (error: unknown) => boolean;
  };
  /**
   * From 0 to 1, by chance: with it an entry is valid for four fifths of its time at least, so that sandboxes that began together
   * do not ask together again.
   */
  readonly random?: () => number;
}

/**
 * Gets a value from the cache or from `load`, which gets whether a known value is the answer when it fails by an error that may
 * pass. Concurrent lookups of a key share one `load`. With `isRenewed`, a known value is replaced, however fresh.
 */
type Lookup<Value> = (
  key: string,
  load: (isCovered: boolean) => Promise<Value>,
  isRenewed?: boolean,
) => Promise<Value>;

interface Entry<Value> {
  readonly value: Promise<Value>;
  loadedAt: number;
  freshUntil: number;
}

/** An LRU cache in memory, bounded in age and in number. */
export const createCache = <Value>({
  ttlMs,
  maxEntries,
  clock,
  keep = () => true,
  stale,
  random = () => 1,
}: CacheOptions<Value>): Lookup<Value> => {
  const entries = new Map<string, Entry<Value>>();

  // The first comparison: an entry must not live longer when the clock is set back.
  const isFresh = ({ loadedAt, freshUntil }: Entry<Value>, now: number) =>
    loadedAt <= now && now < freshUntil;
  const fromNow = (now: number) => now + ttlMs * (0.8 + random() / 5);

  const touch = (key: string, entry: Entry<Value>) => {
    entries.delete(key); // a Map is ordered by insertion: the entry moves to the end
    entries.set(key, entry);
    if (entries.size <= maxEntries) return;
    const [leastRecentlyUsed] = entries.keys();
    if (leastRecentlyUsed !== undefined) entries.delete(leastRecentlyUsed);
  };

  /** @param known - what was loaded before, and is not fresh any more */
  const open = (
    load: (isCovered: boolean) => Promise<Value>,
    known: Entry<Value> | undefined,
    now: number,
  ): Entry<Value> => {
    if (stale === undefined || known === undefined)
      return { value: load(false), loadedAt: now, freshUntil: fromNow(now) };
    const isUsable = (at: number) => known.loadedAt <= at && at < known.loadedAt + stale.maxAgeMs;
    const answerStale = (error: unknown): Promise<Value> => {
      const later = clock.now();
      const { loadedAt, value } = known;
      if (!isUsable(later) || !stale.mayPass(error)) throw error;
      // Not asked again at once: what fails here may be short of throughput.
      Object.assign(entry, { loadedAt, freshUntil: Math.min(fromNow(later), loadedAt + stale.maxAgeMs) });
      return value;
    };
    const entry = { value: load(isUsable(now)).catch(answerStale), loadedAt: now, freshUntil: fromNow(now) };
    return entry;
  };

  return (key, load, isRenewed = false) => {
    if (ttlMs <= 0) return load(false);
    const now = clock.now();
    const known = isRenewed ? undefined : entries.get(key);
    if (known !== undefined && isFresh(known, now)) {
      touch(key, known);
      return known.value;
    }
    const entry = open(load, known, now);
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
