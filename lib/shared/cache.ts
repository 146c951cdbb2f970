export interface CacheOptions<Value> {
  /** How old an answer may be, in milliseconds, counted from when it was asked for; 0 switches the cache off. */
  readonly ttlMs: number;
  /** The entry that was not used for the longest time goes first. */
  readonly maxEntries: number;
  /** `now` gives milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Which answers are worth keeping; all by default. Failures never are. */
  readonly keep?: (value: Value) => boolean;
}

/** Answers from memory, or with what `load` resolves to. Callers who ask at the same time share one `load`. */
type Lookup<Value> = (key: string, load: () => Promise<Value>) => Promise<Value>;

interface Entry<Value> {
  readonly value: Promise<Value>;
  readonly askedAt: number;
}

/** A small cache for one sandbox: bounded in age and in number. */
export const createCache = <Value>({
  ttlMs,
  maxEntries,
  clock,
  keep = () => true,
}: CacheOptions<Value>): Lookup<Value> => {
  const entries = new Map<string, Entry<Value>>();

  // A clock that is set back must not make an entry live longer, hence the first comparison.
  const isFresh = ({ askedAt }: Entry<Value>, now: number) => askedAt <= now && now < askedAt + ttlMs;

  const remember = (key: string, entry: Entry<Value>) => {
    entries.delete(key); // a Map is ordered by insertion: what is used moves to the end
    entries.set(key, entry);
    if (entries.size <= maxEntries) return;
    const [longestUnused] = entries.keys();
    if (longestUnused !== undefined) entries.delete(longestUnused);
  };

  return (key, load) => {
    if (ttlMs <= 0) return load();
    const now = clock.now();
    const known = entries.get(key);
    if (known !== undefined && isFresh(known, now)) {
      remember(key, known);
      return known.value;
    }
    const entry = { value: load(), askedAt: now };
    remember(key, entry);
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    entry.value.then((value) => {
      if (!keep(value)) forget();
    }, forget);
    return entry.value;
  };
};
