import { LruMap } from '../../../shared/cache.ts';
import { SENDER_KEYS_UNAVAILABLE } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { type FeaturePorts, oncePer } from '../../webhook-feature.ts';

interface FetchedKeys<Keys> {
  /** The keys at a URL. @throws AppError `SENDER_KEYS_UNAVAILABLE` */
  find(url: string): Promise<Keys>;
  /**
   * Says that the keys at a URL have verified a request. From then on they are used for up to a day while they can't be
   * fetched, and URLs that verify nothing take neither their place nor their fetches.
   */
  trust(url: string): void;
  /**
   * Fetches the keys again because one is missing, unless they were fetched within {@link MIN_INTERVAL_MS}.
   *
   * @throws AppError `SENDER_KEYS_UNAVAILABLE`
   */
  renew(url: string): Promise<Keys>;
}

interface Source<Keys> {
  /** @throws Error when the text contains no keys */
  readonly parse: (text: string) => Keys;
  readonly maxRedirects: number;
}

const TTL_MS = 600_000;
const MIN_INTERVAL_MS = 30_000;
const RETRY_MS = 5_000;
/** How long trusted keys are used while they can't be fetched. */
const STALE_MS = 86_400_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;
/** Of the URLs that are trusted, and of the others. */
const MAX_ADDRESSES = 100;
/** Requests may name any URL: at most this many that are not trusted are fetched within {@link MIN_INTERVAL_MS}. */
const MAX_FETCHES = 30;

interface Entry<Keys> {
  readonly fetched: Promise<Keys>;
  /** Those that were fetched, or trusted ones of before if that fails. */
  readonly keys: Promise<Keys>;
  readonly loadedAt: number;
  /** When the keys were fetched. */
  fetchedAt: number;
  /** Shorter after a failure, so that each URL is retried soon, but not once per request. */
  ttlMs: number;
}

const createFetchedKeys = <Keys>({ http, clock }: FeaturePorts, source: Source<Keys>): FetchedKeys<Keys> => {
  const trusted = new LruMap<string, Entry<Keys>>(MAX_ADDRESSES);
  const others = new LruMap<string, Entry<Keys>>(MAX_ADDRESSES);
  let fetches: readonly number[] = [];

  /** @throws AppError `SENDER_KEYS_UNAVAILABLE` when too many URLs that are not trusted were fetched */
  const countFetch = (now: number): void => {
    fetches = fetches.filter((at) => at <= now && now < at + MIN_INTERVAL_MS); // clocks can be set back
    if (fetches.length >= MAX_FETCHES) throw keysUnavailable(new Error('too many key URLs'));
    fetches = [...fetches, now];
  };

  const load = (url: string): Entry<Keys> => {
    const now = clock.now();
    const before = trusted.get(url);
    if (before === undefined) countFetch(now);
    const fetched = fetchKeys(url, http, source);
    const keys = fetched.catch((error: unknown) => {
      entry.ttlMs = before === undefined ? RETRY_MS : MIN_INTERVAL_MS;
      if (before === undefined || clock.now() >= before.fetchedAt + STALE_MS) throw error;
      entry.fetchedAt = before.fetchedAt;
      return before.keys;
    });
    keys.catch(() => {}); // a caller of `renew` waits only for what is fetched
    const entry: Entry<Keys> = { fetched, keys, loadedAt: now, fetchedAt: now, ttlMs: TTL_MS };
    (before === undefined ? others : trusted).set(url, entry);
    return entry;
  };

  /** Returns the cached entry, unless it is too old; clocks can be set back. */
  const youngerThan = (url: string, limitMs: (entry: Entry<Keys>) => number): Entry<Keys> | undefined => {
    const entry = trusted.get(url) ?? others.get(url);
    if (entry === undefined) return undefined;
    const age = clock.now() - entry.loadedAt;
    return age >= 0 && age < limitMs(entry) ? entry : undefined;
  };

  return {
    find: async (url) => (youngerThan(url, ({ ttlMs }) => ttlMs) ?? load(url)).keys,
    renew: async (url) =>
      (youngerThan(url, ({ ttlMs }) => Math.min(ttlMs, MIN_INTERVAL_MS)) ?? load(url)).fetched,
    trust: (url) => {
      const entry = others.get(url);
      if (entry === undefined) return;
      others.delete(url);
      trusted.set(url, entry);
    },
  };
};

const fetchKeys = async <Keys>(
  url: string,
  http: FeaturePorts['http'],
  { parse, maxRedirects }: Source<Keys>,
): Promise<Keys> => {
  try {
    const { status, body } = await http.request({
      method: 'GET',
      url,
      headers: { accept: '*/*' },
      body: null,
      timeoutMs: TIMEOUT_MS,
      maxRedirects,
      maxResponseBytes: MAX_BYTES,
      signal: new AbortController().signal,
    });
    if (status !== 200) throw new Error(`the key URL returned ${status}`);
    return parse(new TextDecoder().decode(body));
  } catch (error) {
    throw keysUnavailable(error);
  }
};

const keysUnavailable = (cause: unknown) => new AppError(SENDER_KEYS_UNAVAILABLE, {}, cause);

/** Shared by all webhooks of a sandbox. */
export const fetchedKeys = <Keys>(source: Source<Keys>): ((ports: FeaturePorts) => FetchedKeys<Keys>) =>
  oncePer((ports) => createFetchedKeys(ports, source));
