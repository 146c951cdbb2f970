import { LruMap } from '../../shared/cache.ts';
/**
 * A bucket of `burst` tokens, refilled by one every `intervalUs`. Its only state is the time when it will be full
 * again, which only moves forward: the generic cell rate algorithm (ITU-T I.371) with times instead of counts, so that
 * one conditional addition takes a token.
 */
export interface Bucket {
  /** The bucket's key in the store; at most 100 characters. */
  readonly key: string;
  /** How many tokens a full bucket has. */
  readonly burst: number;
  /** Microseconds per refilled token; a whole number. */
  readonly intervalUs: number;
}

/** The outcome of taking a token. Times are whole microseconds since the epoch. */
export interface Taking {
  readonly isTaken: boolean;
  /** When the bucket will be full again, if nothing more is taken. */
  readonly fullAt: number;
}

/**
 * Takes a token if there is one. Of concurrent calls, as many succeed as there are tokens.
 *
 * @param now - microseconds since the epoch
 * @param knownFullAt - an earlier `fullAt` of the same bucket; null for none
 * @throws AppError `STORE_UNAVAILABLE`: then a token may or may not have been taken
 */
export type TakeToken = (bucket: Bucket, now: number, knownFullAt: number | null) => Promise<Taking>;

/** The latest `fullAt` at which a token is available. */
export const lastFullAt = ({ burst, intervalUs }: Bucket, now: number): number =>
  now + (burst - 1) * intervalUs;

/** Returns how many tokens remain. */
export const countTokens = ({ burst, intervalUs }: Bucket, fullAt: number, now: number): number =>
  Math.max(0, Math.min(burst, Math.floor((now + burst * intervalUs - fullAt) / intervalUs)));

/**
 * Caches buckets in this process. A bucket seen empty is read again only when it has a token: a flood costs no store
 * calls, and no caller is refused that the store would let in, since `fullAt` only moves forward.
 *
 * @param maxBuckets - beyond this, the least recently used one is dropped
 */
export const rememberBuckets = (take: TakeToken, maxBuckets: number): TakeToken => {
  const known = new LruMap<string, number>(maxBuckets);
  return async (bucket, now, given) => {
    const { key } = bucket;
    const fullAt = known.get(key) ?? given;
    if (fullAt !== null && fullAt > lastFullAt(bucket, now)) return { isTaken: false, fullAt };
    const taking = await take(bucket, now, fullAt);
    const latest = Math.max(taking.fullAt, known.get(key) ?? 0);
    known.set(key, latest);
    return taking;
  };
};
