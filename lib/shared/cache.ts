export interface CacheOptions<Value> {
  /** Maximum age of an entry in milliseconds, from the start of its load; 0 disables the cache. */
  readonly ttlMs: number;
  /** Beyond this, the least recently used entry is evicted. */
  readonly maxEntries: number;
  /** The clock, whose `now` returns milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Whether to cache a value; by default, all are cached. Failures never are. */
  readonly keep?: (value: Value) => boolean;
  /** Serves a stale value if a lookup fails; without it, failures reach the caller. */
  readonly stale?: {
    /** Maximum age of a value, in milliseconds from the start of the load that returned it; longer than `ttlMs`. */
    readonly maxAgeMs: number;
    /** Whether an error is transient and unrelated to the value. */
    readonly mayPass: (error: unknown) => boolean;
  };
  /**
   * Returns a random number from 0 to 1. With it, an entry is valid for at least four fifths of its TTL, so that
   * sandboxes that started together do not reload together.
   */
  readonly random?: () => number;
}

/**
 * Gets a value from the cache or from `load`, whose `isCovered` says whether a stale value is served if it fails
 * with a transient error. Concurrent lookups of a key share one `load`. With `isRenewed`, a cached value is replaced,
 * however fresh.
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

/** An in-memory LRU cache, bounded in age and number of entries. */
export const createCache = <Value>({
  ttlMs,
  maxEntries,
  clock,
  keep = () => true,
  stale,
  random = () => 1,
}: CacheOptions<Value>): Lookup<Value> => {
  const entries = new LruMap<string, Entry<Value>>(maxEntries);

  // The first comparison: an entry must not live longer if the clock is set back.
  const isFresh = ({ loadedAt, freshUntil }: Entry<Value>, now: number) =>
    loadedAt <= now && now < freshUntil;
  const fromNow = (now: number) => now + ttlMs * (0.8 + random() / 5);

  /** @param known - the earlier, no longer fresh entry */
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
      // Not retried at once: the source may be short of throughput.
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
    if (known !== undefined && isFresh(known, now)) return known.value;
    const entry = open(load, known, now);
    entries.set(key, entry);
    const evict = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    entry.value.then((value) => {
      if (!keep(value)) evict();
    }, evict);
    return entry.value;
  };
};

/** A map of bounded size: beyond it, the least recently used entries are evicted. No value is undefined. */
export class LruMap<Key, Value> {
  /** The entries, ordered by insertion: a used entry moves to the end. */
  readonly #entries = new Map<Key, Value>();
  readonly #maxWeight: number;
  readonly #weigh: (key: Key, value: Value) => number;
  #weight = 0;
  /** The entry that was used last, which need not move. */
  #newest: Key | undefined;

  /**
   * @param maxWeight - the number of entries, unless they are weighed
   * @param weigh - an entry that weighs more than the maximum is not kept
   */
  constructor(maxWeight: number, weigh: (key: Key, value: Value) => number = () => 1) {
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
      this.#newest = key;
    }
    return value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    const weight = this.#weigh(key, value);
    if (weight > this.#maxWeight) return;
    this.#entries.set(key, value);
    this.#newest = key;
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(key, value);
  }
}
