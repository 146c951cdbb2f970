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

/** How far ahead of a sandbox's clock that of another may be, so that both take tokens from the same bucket. */
const CLOCK_TOLERANCE_US = 5_000_000;

/** Whether a bucket may be full at that time: if not, this clock is wrong or that of the sandbox that last took a token. */
const isBelieved = ({ burst, intervalUs }: Bucket, fullAt: number, now: number): boolean =>
  fullAt <= now + burst * intervalUs + CLOCK_TOLERANCE_US;

/**
 * Takes a token from a bucket, or, where what is stored of it can't be believed, from one that the sandboxes whose clocks
 * are behind share. Nothing stored shows which clock is wrong: to reset the bucket would fill it with each request to the
 * one that is, and to believe it would refuse all requests for as long as the clocks differ. So there are two buckets at most.
 */
const takeBelieved =
  (take: TakeToken): TakeToken =>
  async (bucket, now, knownFullAt) => {
    const taking = await take(bucket, now, knownFullAt);
    if (taking.isTaken || isBelieved(bucket, taking.fullAt, now)) return taking;
    return take({ ...bucket, key: `${bucket.key} apart` }, now, null);
  };

/**
 * Caches buckets in this process. A bucket seen empty is read again only when it has a token: a flood costs no store
 * calls, and no caller is refused that the store would let in, since `fullAt` only moves forward.
 *
 * @param maxBuckets - beyond this, the least recently used one is dropped
 */
export const rememberBuckets = (take: TakeToken, maxBuckets: number): TakeToken => {
  const known = new LruMap<string, number>(maxBuckets);
  const takeToken = takeBelieved(take);
  return async (bucket, now, given) => {
    const { key } = bucket;
    const found = known.get(key) ?? given;
    // After this clock was set back, what it said before is of no use.
    const fullAt = found !== null && isBelieved(bucket, found, now) ? found : null;
    if (fullAt !== null && fullAt > lastFullAt(bucket, now)) return { isTaken: false, fullAt };
    const taking = await takeToken(bucket, now, fullAt);
    const others = known.get(key) ?? 0; // of requests that were made at the same time
    known.set(key, isBelieved(bucket, others, now) ? Math.max(taking.fullAt, others) : taking.fullAt);
    return taking;
  };
};
